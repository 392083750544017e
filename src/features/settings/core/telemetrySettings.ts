import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible, withoutTrailingSlashes } from '../../../base/text';

/** Where requests to servers are reported. */
export interface TelemetrySettings {
  /** Base address of a receiver of OTLP over HTTP: spans go to `/v1/traces` below it, metrics to `/v1/metrics`. */
  readonly endpoint: string;
  /** Sent along, with variables. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether arguments and results of tools, and URIs of resources, go along. */
  readonly content: boolean;
}

const KEYS = ['endpoint', 'headers', 'content'];
const MAX_TEXT = 8_000;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Any other would let a workspace have a say. */
const OTHER_VARIABLE = /(?<!\$)\$\{(?!env:|input:)[^}]*\}/;

/** Reads the setting, or the key of a managed file, `openTelemetry`. @returns why it is not valid, or what it says. */
export function parseTelemetry(value: unknown): TelemetrySettings | Phrase {
  if (!isObject(value)) return phrase('"{0}" is an object with the key "{1}"', 'openTelemetry', 'endpoint');
  const { endpoint, headers = {}, content = false } = value;
  const unknown = Object.keys(value).find(key => !KEYS.includes(key));
  if (unknown !== undefined) return phrase('"{0}" is not known to this version', visible(unknown, 60));
  const url = typeof endpoint === 'string' && endpoint.length <= MAX_TEXT ? parseUrl(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return phrase(
      '"{0}" is an address that begins with http:// or https://, without a user name, "?" and "#"',
      'openTelemetry.endpoint',
    );
  if (!isObject(headers) || !Object.entries(headers).every(isHeader))
    return phrase('"{0}" is an object of texts without line breaks', 'openTelemetry.headers');
  if (Object.values(headers).some(text => OTHER_VARIABLE.test(String(text))))
    return phrase('"{0}" takes only these variables: {1}', 'openTelemetry.headers', '${env:NAME}, ${input:id}');
  if (typeof content !== 'boolean')
    return phrase('"{0}" is none of these: {1}', 'openTelemetry.content', 'true, false');
  return {
    endpoint: withoutTrailingSlashes(url.href),
    headers: { ...(headers as Record<string, string>) },
    content,
  };
}

const isHeader = ([name, text]: [string, unknown]) =>
  HEADER.test(name) && typeof text === 'string' && text.length <= MAX_TEXT && !/[\r\n\0]/.test(text);

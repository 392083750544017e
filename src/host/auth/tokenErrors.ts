import type { FetchLike } from '@modelcontextprotocol/client';
import { isObject, parsedJson } from '../../base/json';

/** Enough of a page to find what it says. */
const MAX_READ = 8_192;
const MAX_WORDS = 500;
/** Names under which endpoints put their code, and their words for people, first the standard ones (RFC 6749, 5.2; RFC 9457). */
const CODES = ['error', 'errorCode', 'error_code', 'code', 'status'];
const WORDS = ['error_description', 'errorSummary', 'message', 'msg', 'detail', 'title', 'reason', 'error'];
/** What may hold an error of another form. */
const HOLDERS = ['error', 'errors', 'fault'];

/**
 * Sends requests for tokens, and turns whatever an endpoint says instead of tokens (a list, a form, text, a page) into the error
 * response of RFC 6749, 5.2: the SDK takes any other for a passing failure, and its words would be lost. An answer without a code
 * gets its status as one, such as "HTTP 401".
 */
export const withReadableErrors =
  (send: FetchLike): FetchLike =>
  async (url, init) => {
    const response = await send(url, init);
    const text = await response.clone().text();
    const said = response.ok ? saidIn(text) : (saidIn(text) ?? { words: wordsIn(text) });
    if (!said) return response;
    const { status, headers } = response;
    const body =
      status >= 500
        ? { error: 'server_error', error_description: [`HTTP ${status}`, said.words].filter(Boolean).join(': ') }
        : { error: said.code ?? `HTTP ${status}`, error_description: said.words || `HTTP ${status}` };
    const kept = new Headers(headers);
    kept.set('content-type', 'application/json');
    return new Response(JSON.stringify(body), { status: Math.max(status, 400), headers: kept });
  };

interface SaidError {
  readonly code?: string | undefined;
  readonly words: string;
}

/** The error in JSON or in a form; undefined if there is none. */
function saidIn(text: string): SaidError | undefined {
  const value = parsedJson(text);
  if (value !== undefined) return errorIn(value);
  const form = new URLSearchParams(text.slice(0, MAX_READ));
  return form.has('error') ? errorIn(Object.fromEntries(form)) : undefined;
}

function errorIn(value: unknown, depth = 0): SaidError | undefined {
  if (depth > 3) return undefined;
  if (Array.isArray(value)) return value.map(item => errorIn(item, depth + 1)).find(said => said !== undefined);
  if (typeof value === 'string') return depth > 0 && value !== '' ? { words: value.slice(0, MAX_WORDS) } : undefined;
  if (!isObject(value) || typeof value.access_token === 'string') return undefined;
  const textOf = (names: readonly string[], fits = (_text: string) => true) =>
    names.map(name => value[name]).find((one): one is string => typeof one === 'string' && one !== '' && fits(one));
  const inner = HOLDERS.map(name => (typeof value[name] === 'object' ? errorIn(value[name], depth + 1) : undefined));
  const code = textOf(CODES, text => /^[\w.:-]{1,60}$/.test(text));
  const words = textOf(WORDS);
  return (
    inner.find(said => said !== undefined) ??
    (words === undefined ? undefined : { code, words: words.slice(0, MAX_WORDS) })
  );
}

/** The text of a page, or a text. */
function wordsIn(text: string): string {
  return text
    .slice(0, MAX_READ)
    .replace(/<(script|style)\b.*?<\/\1[^>]*>/gis, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_WORDS);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

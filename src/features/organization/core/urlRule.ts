import { type Phrase, phrase } from '../../../base/phrase';
import { matches } from '../../../base/text';

/** A `serverUrl` of a rule, in the form of the URL parser: names in lower case and in ASCII. */
export interface UrlRule {
  /** `http:`, `https:` or `*`. */
  readonly protocol: string;
  /** A name or an address; `*.` and a name: every name below it; `*`: any. */
  readonly host: string;
  /** Digits; `*`: any; empty: the default port. */
  readonly port: string;
  /** Path and query. `*` stands for any characters. */
  readonly path: string;
}

/** The parts of an address that may hold `*`, which the URL parser does not take everywhere. */
const PARTS = /^(\*|https?):\/\/([^/?#]*)([^#]*)$/i;
const AUTHORITY = /^(.*?)(?::(\*|\d{1,5}))?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Reads a `serverUrl`. `*` alone means every address. @returns why it is none, or the rule. */
export function parseUrlRule(text: string): UrlRule | Phrase {
  if (text === '*') return { protocol: '*', host: '*', port: '*', path: '*' };
  const [, scheme, authority = '', rest = ''] = PARTS.exec(text) ?? [];
  if (scheme === undefined) return phrase('it is not an address that begins with http:// or https:// and has no "#"');
  if (authority.includes('@')) return phrase('it contains a user name or password');
  const [, name = '', port = ''] = AUTHORITY.exec(authority) ?? [];
  const host = hostOf(name);
  if (host === undefined)
    return phrase('"*" in a host stands for the whole host or for everything before its first dot');
  if (Number(port) > 65_535) return phrase('its port does not exist');
  const path = new URL(`http://host${rest}`);
  return { protocol: scheme === '*' ? '*' : `${scheme.toLowerCase()}:`, host, port, path: path.pathname + path.search };
}

function hostOf(text: string): string | undefined {
  if (text === '*') return '*';
  const [, wildcard = '', name = ''] = /^(\*\.)?(.+)$/.exec(text) ?? [];
  if (name === '' || name.includes('*') || !URL.canParse(`http://${name}/`)) return undefined;
  return wildcard + withoutDot(new URL(`http://${name}/`).hostname);
}

const withoutDot = (hostname: string) => hostname.replace(/\.$/, '');

/** Whether a rule allows an address. What a server may read in another way than this program is not allowed. */
export function allowsUrl(rule: UrlRule, url: URL): boolean {
  if (url.username || url.password || !isPlace(rule, url)) return false;
  const path = url.pathname + url.search;
  // An encoded separator may lead out of the folder in which `*` is meant to stay.
  return path === rule.path || (!/%(2f|5c)/i.test(url.pathname) && matches(rule.path, path));
}

/** Whether a rule denies an address, in whichever way it is written. */
export function deniesUrl(rule: UrlRule, url: URL): boolean {
  if (!isPlace(rule, url)) return false;
  const wanted = plainPath(rule.path);
  return [url.pathname + url.search, url.pathname, `${url.pathname}/`].some(
    path => matches(rule.path, path) || matches(wanted, plainPath(path)),
  );
}

function isPlace({ protocol, host, port }: UrlRule, url: URL): boolean {
  const usual = DEFAULT_PORTS[url.protocol];
  if (usual === undefined || (protocol !== '*' && protocol !== url.protocol)) return false;
  if (port !== '*' && Number(port || usual) !== Number(url.port || usual)) return false;
  const name = withoutDot(url.hostname);
  if (host.startsWith('*.')) return name.endsWith(host.slice(1)) && name.length >= host.length;
  return host === '*' || host === name;
}

/** One spelling of paths that most servers take for the same. */
function plainPath(path: string): string {
  const plain = decoded(path).toLowerCase().replace(/\/+/g, '/');
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

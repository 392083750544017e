import { posix, resolve } from 'node:path';
import { getOrInsert } from '../../../base/events';
import { realPlace } from '../../../base/filePlace';
import { isAmong, literalOf, placeOf } from '../../../base/networkAddress';
import { type Phrase, phrase } from '../../../base/phrase';
import { isLoopback, matches, percentDecoded } from '../../../base/text';
import { socketOf } from '../../../host/settings';

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
const PARTS = /^(\*|https?):\/\/([^/?#]*)((?:[/?][^#]*)?)$/i;
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
  if (url.username || url.password || !isPlace(rule, url) || !isHost(rule.host, withoutDot(url.hostname))) return false;
  const path = url.pathname + url.search;
  // An encoded separator may lead out of the folder in which `*` is meant to stay.
  return path === rule.path || (!/%(2f|5c)/i.test(url.pathname) && matches(rule.path, path));
}

/** Whether a rule denies an address, however written. A rule without port or path denies all of them. */
export const deniesUrl = (rule: UrlRule, url: URL): boolean =>
  leadsTo(hostOfName(rule.host), hostOfName(withoutDot(url.hostname))) && deniesAt(rule, url);

/** Whether a rule denies an address at a host that it is about. */
function deniesAt(rule: UrlRule, url: URL): boolean {
  if (!isPlace({ ...rule, protocol: '*', port: rule.port || '*' }, url)) return false;
  const below = rule.path.endsWith('/') ? `${rule.path}*` : `${rule.path}/*`;
  return [rule.path, below].some(wanted =>
    [url.pathname + url.search, url.pathname, `${url.pathname}/`].some(
      path => matches(wanted, path) || matches(plainPath(wanted), plainPath(path)),
    ),
  );
}

function isPlace({ protocol, port }: UrlRule, url: URL): boolean {
  const usual = DEFAULT_PORTS[url.protocol];
  if (usual === undefined || (protocol !== '*' && protocol !== url.protocol)) return false;
  return port === '*' || Number(port || usual) === Number(url.port || usual);
}

function isHost(host: string, name: string): boolean {
  if (host.startsWith('*.')) return name.endsWith(host.slice(1)) && name.length >= host.length;
  return host === '*' || host === name;
}

/** A host, of a rule or of an address, with what has to be found out about it once. */
interface Host {
  readonly name: string;
  readonly literal: string | undefined;
  readonly isHere: boolean;
}

const hostOfName = (name: string): Host => ({ name, literal: literalOf({ hostname: name }), isHere: isHere(name) });

/** Whether a host is that of a rule, is one IP address in another form, as `[::ffff:10.0.0.1]`, or stands for this machine as it does. */
function leadsTo(rule: Host, host: Host): boolean {
  if (isHost(rule.name, host.name) || (rule.isHere && host.isHere)) return true;
  return rule.literal !== undefined && host.literal !== undefined && isAmong(host.literal, [rule.literal]);
}

/** Each name and address with which a program reaches its own machine. */
function isHere(hostname: string): boolean {
  const literal = literalOf({ hostname });
  if (literal !== undefined) return placeOf(literal) === 'machine';
  return isLoopback({ hostname }) || /^(localhost\.localdomain|(ip6-)?(localhost6?|loopback))$/.test(hostname);
}

const ADDRESS = /https?:[^\s'"`]+/gi;
/** What an address without a scheme can be told from: a decimal number is none. */
const BARE = /^(?:[^@/]*@)?(?=[^/?#]*[a-z[]|(?:\d+\.){3}|127\.)[^/?#\\]+/i;

/** An address in a text. Without a scheme, it may be reached by any. */
interface WrittenAddress {
  readonly url: URL;
  readonly isBare: boolean;
}

function addressIn(word: string): WrittenAddress | undefined {
  // The slashes are no part of what tells one: `http:10.0.0.5`.
  if (/^https?:/i.test(word)) return URL.canParse(word) ? { url: new URL(word), isBare: false } : undefined;
  const [, rest = ''] = /^(?:[a-z][\w+.-]*:(?=[/\\]|[a-z]))?(.*)$/is.exec(word) ?? [];
  const bare = rest.replace(/^[/\\]+/, '');
  if (!BARE.test(bare) || !URL.canParse(`http://${bare}`)) return undefined;
  return { url: new URL(`http://${bare}`), isBare: true };
}

/** Whether a rule denies an address at a host that it is about: a host alone may get any path and port. */
function deniesWritten(rule: UrlRule, { url, isBare }: WrittenAddress): boolean {
  if (!isBare) return deniesAt(rule, url);
  const isHostAlone = url.pathname === '/' && url.search === '';
  const path = isHostAlone ? '*' : rule.path;
  return rule.host !== '*' && deniesAt({ ...rule, protocol: '*', port: url.port && rule.port, path }, url);
}

/** The addresses of texts, by their hosts: each is read once for all rules. */
export class WrittenAddresses {
  readonly #byHost = new Map<string, { readonly host: Host; readonly addresses: WrittenAddress[] }>();

  constructor(private readonly texts: readonly string[]) {
    const words = texts.flatMap(text => [...text.split(/[\s'"`=,;|&<>()]+/), ...(text.match(ADDRESS) ?? [])]);
    for (const word of new Set(words)) {
      const address = addressIn(word);
      if (!address) continue;
      const name = withoutDot(address.url.hostname);
      getOrInsert(this.#byHost, name, () => ({ host: hostOfName(name), addresses: [] })).addresses.push(address);
    }
  }

  /** Whether a rule denies one of them. */
  areDenied(rule: UrlRule): boolean {
    const ofRule = hostOfName(rule.host);
    for (const { host, addresses } of this.#byHost.values())
      if (leadsTo(ofRule, host) && addresses.some(address => deniesWritten(rule, address))) return true;
    return this.texts.some(text => deniesHostIn(rule, text));
  }
}

/** Whether a text has the name of a rule's host anywhere, with a path that the rule denies or none that can be read. */
function deniesHostIn(rule: UrlRule, text: string): boolean {
  const own = rule.host.replace(/^\*\./, '');
  if (!/[a-z]/.test(own) || !text.includes(own)) return false;
  const name = own.replaceAll('.', '\\.');
  // Behind an option of one letter, too: `-hname`.
  const labels = rule.host.startsWith('*.') ? String.raw`[\w.-]{1,253}?\.` : '';
  const places = new RegExp(
    String.raw`(?<![\w.-])(?:-[a-z](?=${name}))?(${labels}${name}(?![\w-]|\.\w))([^\s'"\`,;|&<>()\]}]*)`,
    'g',
  );
  const denied = (word: string) => {
    const address = addressIn(word);
    const host = address && hostOfName(withoutDot(address.url.hostname));
    return host !== undefined && leadsTo(hostOfName(rule.host), host) && deniesWritten(rule, address!);
  };
  return [...text.matchAll(places)].some(([, host = '', rest = '']) =>
    denied(URL.canParse(`http://${host}${rest}`) ? host + rest : host),
  );
}

/** Whether addresses of sockets lead to one file, by whatever links. */
export function isSameSocket(one: string, other: string): boolean {
  const [place, there] = [one, other].map(address => {
    const path = socketOf(address)?.path;
    return path && (realPlace(path) ?? resolve(path));
  });
  return place !== undefined && place === there;
}

/** One spelling of paths that most servers take for the same. */
function plainPath(path: string): string {
  // Parameters of a segment, and what ends a text in some languages, name no other place.
  const plain = posix
    .normalize(
      percentDecoded(path)
        .toLowerCase()
        .replace(/[;\0][^/]*/g, '')
        .replaceAll('\\', '/'),
    )
    .replace(/(?<![\s.])[\s.]+(?=\/|$)/g, '')
    .replace(/\/+/g, '/');
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

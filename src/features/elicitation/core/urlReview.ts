import { domainToUnicode } from 'node:url';
import { lookAlikeOf, mixesScripts } from './lookAlike';

/** Longer addresses are refused: no person can judge them. */
export const MAX_URL = 8_192;

/** A warning to the person before a page is opened. */
export type UrlWarning =
  | { readonly kind: 'unicode' | 'mixedScripts' | 'userinfo' | 'ip' | 'port' | 'loopback' }
  | { readonly kind: 'lookAlike'; readonly of: string };

export interface UrlReview {
  /** Exactly what is opened. */
  readonly href: string;
  /** As it is on the wire, `xn--…` where it has other than Latin letters. */
  readonly host: string;
  /** As browsers may draw it, when that is something else. */
  readonly unicodeHost?: string;
  readonly warnings: readonly UrlWarning[];
}

/**
 * Looks at an address that a server wants a person to visit (spec: client/elicitation#safe-url-handling). Only https, and
 * http of this machine, may be opened; `refused` says why another may not. Nothing is fetched.
 */
export function reviewUrl(text: string): UrlReview | { readonly refused: string } {
  if (text.length > MAX_URL) return { refused: `the address has more than ${MAX_URL} characters` };
  if (!URL.canParse(text)) return { refused: 'it is not an address' };
  const url = new URL(text);
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    return {
      refused: `only https pages, and http pages on this machine, may be opened, not ${url.protocol.slice(0, 40)}`,
    };
  }
  const host = url.hostname;
  const unicode = domainToUnicode(host);
  const isIp = host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
  const of = lookAlikeOf(unicode || host);
  const warnings: UrlWarning[] = [
    ...warn(unicode !== '' && unicode !== host, 'unicode'),
    ...warn(unicode.split('.').some(mixesScripts), 'mixedScripts'),
    ...(of ? [{ kind: 'lookAlike', of } as const] : []),
    ...warn(url.username !== '' || url.password !== '', 'userinfo'),
    ...warn(isLoopback, 'loopback'),
    ...warn(isIp && !isLoopback, 'ip'),
    ...warn(url.port !== '' && !isLoopback, 'port'),
  ];
  return { href: url.href, host, ...(unicode && unicode !== host && { unicodeHost: unicode }), warnings };
}

const warn = (applies: boolean, kind: Exclude<UrlWarning['kind'], 'lookAlike'>): UrlWarning[] =>
  applies ? [{ kind }] : [];

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

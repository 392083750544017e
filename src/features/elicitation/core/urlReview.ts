import { domainToUnicode } from 'node:url';
import { normalized } from '../../../base/normalized';
import { isLoopback } from '../../../base/text';

/** Longer addresses are refused: no person can judge them. */
export const MAX_URL = 8_192;

/** A warning to the person before a page is opened. */
export type UrlWarning =
  | { readonly kind: 'unicode' | 'mixedScripts' | 'userinfo' | 'ip' | 'port' | 'loopback' }
  | { readonly kind: 'lookAlike'; readonly of: string };

export interface UrlReview {
  /** Exactly what is opened. */
  readonly href: string;
  /** The host on the wire: `xn--…` where it has other than Latin letters. */
  readonly host: string;
  /** The host as browsers may draw it, if that differs. */
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
  const isHere = isLoopback(url);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) {
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
    ...warn(isHere, 'loopback'),
    ...warn(isIp && !isHere, 'ip'),
    ...warn(url.port !== '' && !isHere, 'port'),
  ];
  return { href: url.href, host, ...(unicode && unicode !== host && { unicodeHost: unicode }), warnings };
}

const warn = (applies: boolean, kind: Exclude<UrlWarning['kind'], 'lookAlike'>): UrlWarning[] =>
  applies ? [{ kind }] : [];

/** Hosts that people are most often led to believe they are on. */
const WELL_KNOWN = `
  amazon.com anthropic.com apple.com atlassian.com bitbucket.org cloudflare.com dropbox.com facebook.com
  figma.com github.com gitlab.com google.com linear.app linkedin.com microsoft.com microsoftonline.com
  notion.so npmjs.com openai.com paypal.com sentry.io slack.com stripe.com vercel.com visualstudio.com`
  .trim()
  .split(/\s+/);

/** Letters that look like Latin ones, and how digits are read in names. */
const LOOKS_LIKE: Readonly<Record<string, string>> = Object.fromEntries(
  'aаɑα bЬƅ cсϲ dԁ eеҽ fƒ gɡց hһ iіıι jј kκк l1ӏ|ⅼ mм nпո o0оοօ pрρ qԛ rг sѕ5 tтτ uսυ vνѵ wԝω xхχ yуү zᴢ'
    .split(' ')
    .flatMap(([latin = '', ...others]) => others.map(other => [other, latin])),
);

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Cherokee'].map(
  script => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** Whether a part of a host name has letters of several alphabets. */
const mixesScripts = (label: string): boolean => SCRIPTS.filter(script => script.test(label)).length > 1;

/** What a host name in Unicode may be mistaken for: a well-known host, or its Latin spelling. Undefined: nothing. */
function lookAlikeOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (WELL_KNOWN.some(known => name === known || name.endsWith(`.${known}`))) return undefined;
  const plain = skeleton(name);
  // Also in front of another: `github.com.example.net`, `github.com-login.example`.
  const known = WELL_KNOWN.find(known => {
    const at = ` ${plain} `.replace(/[.-]/g, ' ').indexOf(` ${known.replace('.', ' ')} `);
    return at >= 0 || plain === skeleton(known);
  });
  if (known) return known;
  // Letters of another alphabet that all read as Latin ones.
  const latin = asLatin(name);
  return /[^\x20-\x7f]/.test(name) && !/[^\x20-\x7f]/.test(latin) ? latin : undefined;
}

const asLatin = (name: string) => [...name].map(letter => LOOKS_LIKE[letter] ?? letter).join('');

/** The shape of a name at a glance. */
function skeleton(name: string): string {
  const withoutAccents = normalized(name, 'NFKD').replace(/\p{M}/gu, '');
  return asLatin(withoutAccents).replaceAll('rn', 'm').replaceAll('vv', 'w');
}

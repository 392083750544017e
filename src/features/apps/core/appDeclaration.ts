import { isObject } from '../../../base/json';

/** The abilities of a browser that an app can ask for, and their names in an iframe's `allow`. */
const PERMISSIONS = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const;
export type AppPermission = keyof typeof PERMISSIONS;

/** The only one that webviews of the editor have themselves and can pass on. */
const GRANTED: readonly AppPermission[] = ['clipboardWrite'];

const DOMAINS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;
type DomainList = (typeof DOMAINS)[number];

/** The sites and abilities that an app declares (spec: ext-apps 2026-01-26, "UI Resource Format"). */
export interface AppDeclaration {
  /** Sources of a Content Security Policy, each checked. */
  readonly domains: Readonly<Record<DomainList, readonly string[]>>;
  readonly permissions: readonly AppPermission[];
  readonly prefersBorder: boolean;
  /** Declared values that are not granted, because no policy can express them. */
  readonly leftOut: readonly string[];
}

const MAX_SOURCES = 50;
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A host with at least two labels, perhaps after a wildcard; this machine; and a path that needs no escape. */
const SOURCE = new RegExp(
  `^(?:(https|wss)://(?:\\*\\.)?${LABEL}(?:\\.${LABEL})+|(https?|wss?)://(?:localhost|127\\.0\\.0\\.1))(?::\\d{1,5})?(?:/[\\w.~/-]*)?$`,
);

/** Reads the `_meta` of a page: the item that was read first, then how the resource is listed. */
export function declarationOf(content: unknown, listed: unknown): AppDeclaration {
  const ui = [content, listed].map(item => (isObject(item) ? item.ui : undefined)).find(isObject) ?? {};
  const csp = isObject(ui.csp) ? ui.csp : {};
  const leftOut: string[] = [];
  const domains = Object.fromEntries(
    DOMAINS.map(list => {
      const declared: unknown = csp[list] ?? [];
      const all: unknown[] = Array.isArray(declared) ? declared : [declared];
      const sources = all.slice(0, MAX_SOURCES).map(sourceOf);
      for (const [index, item] of all.entries()) if (!sources[index]) leftOut.push(said(item));
      return [list, [...new Set(sources.filter(source => source !== undefined))].sort()];
    }),
  ) as Record<DomainList, string[]>;
  const wanted = isObject(ui.permissions) ? ui.permissions : {};
  const permissions = (Object.keys(PERMISSIONS) as AppPermission[]).filter(name => isObject(wanted[name]));
  return { domains, permissions, prefersBorder: ui.prefersBorder === true, leftOut };
}

/** As it goes into a policy. Undefined: it is no address of one site, or would say more than that. */
function sourceOf(declared: unknown): string | undefined {
  if (typeof declared !== 'string') return undefined;
  const source = declared.toLowerCase().includes('://') ? declared : `https://${declared}`;
  const [scheme = '', rest = ''] = source.split('://');
  const [host = '', ...path] = rest.split('/');
  // Hosts have no case; paths do.
  const exact = [`${scheme}://${host}`.toLowerCase(), ...path].join('/').replace(/\/$/, '');
  return SOURCE.test(exact) ? exact : undefined;
}

const said = (item: unknown): string => (typeof item === 'string' ? item : (JSON.stringify(item) ?? typeof item));

/** The abilities that an app gets of those that it requests. */
export const grantedOf = ({ permissions }: Pick<AppDeclaration, 'permissions'>): AppPermission[] =>
  permissions.filter(name => GRANTED.includes(name));

/** Whether an app can reach a site, or gets an ability of the browser. One that has neither needs no consent. */
export const hasReach = ({ domains, permissions }: Pick<AppDeclaration, 'domains' | 'permissions'>): boolean =>
  Object.values(domains).some(sources => sources.length > 0) || grantedOf({ permissions }).length > 0;

/** An iframe's `allow`. */
export const allowOf = (declaration: Pick<AppDeclaration, 'permissions'>): string =>
  grantedOf(declaration)
    .map(name => PERMISSIONS[name])
    .join('; ');

/**
 * The Content Security Policy of an app: what it declared and nothing more (spec: ext-apps 2026-01-26, "Content Security
 * Policy Enforcement"). `'self'` is missing, because an opaque origin has none.
 * @param own where the page around the app has its own script and style from; that policy is inherited by the app.
 */
export function policyOf({ domains }: Pick<AppDeclaration, 'domains'>, own = ''): string {
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = domains;
  const directives: [string, ...(string | readonly string[])[]][] = [
    ['default-src'],
    ['script-src', "'unsafe-inline'", own, resourceDomains],
    ['style-src', "'unsafe-inline'", own, resourceDomains],
    ['img-src', 'data:', resourceDomains],
    ['font-src', resourceDomains],
    ['media-src', 'data:', resourceDomains],
    ['connect-src', connectDomains],
    // This is also what keeps the app from leading its own frame elsewhere.
    ['frame-src', frameDomains],
    ['base-uri', baseUriDomains],
    ['object-src'],
    ['form-action'],
  ];
  return directives
    .map(([name, ...sources]) => [name, ...(sources.flat().filter(Boolean).length > 0 ? sources.flat() : ["'none'"])])
    .map(words => words.filter(Boolean).join(' '))
    .join('; ');
}

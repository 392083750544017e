import type { ReadResourceResult, Tool } from '@modelcontextprotocol/client';
import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { sizePhrase } from '../../../base/numberText';
import { PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { pageIn } from '../../../base/userInterface';
import { APP_MIME_TYPE, toolDefinition } from '../../../host/catalog';
import { KeptFor, type ProgramRecords, programRecords, type ServerDefinition } from '../../../host/definition';

/** In characters. The largest of the official examples has 450,000. */
export const MAX_PAGE = 10 * 1024 * 1024;

export interface AppPage {
  readonly uri: string;
  readonly html: string;
  readonly declaration: AppDeclaration;
}

/**
 * The page in a server's answer to a resource read (spec: ext-apps 2026-01-26, "Content Requirements").
 * @param listed the `_meta` of the resource in the server's list, if it is there.
 * @throws PhraseError when it is no page, or too large.
 */
export function pageOf(uri: string, { contents }: ReadResourceResult, listed?: unknown): AppPage {
  const content = contents.find(item => item.uri === uri) ?? contents[0];
  if (!content) throw new PhraseError(phrase('the server has no page {0}', visible(uri, 200)));
  const type = content.mimeType?.toLowerCase().replaceAll(' ', '') ?? '';
  if (type !== APP_MIME_TYPE) {
    const given = visible(content.mimeType || '–', 100);
    throw new PhraseError(phrase('the page is of the type {0}, not {1}', given, APP_MIME_TYPE));
  }
  const size = 'text' in content ? content.text.length : (content.blob.length * 3) / 4;
  if (size > MAX_PAGE)
    throw new PhraseError(phrase('the page has {0}, and may have {1}', sizePhrase(size), sizePhrase(MAX_PAGE)));
  const html = 'text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('utf8');
  if (!/^[\s\ufeff]*<[a-z!]/i.test(html)) throw new PhraseError(phrase('the page is not HTML'));
  return { uri, html, declaration: declarationOf(content._meta, listed) };
}

/** The page as a resource, for another chat that draws it: with the addresses and abilities that a person is shown, and no others. */
export function contentsOf({ uri, html, declaration }: AppPage): ReadResourceResult {
  const { domains, prefersBorder } = declaration;
  const permissions = Object.fromEntries(grantedOf(declaration).map(name => [name, {}]));
  const ui = { csp: domains, permissions, prefersBorder };
  return { contents: [{ uri, mimeType: APP_MIME_TYPE, text: html, _meta: { ui } }] };
}

/** The page in a result, under the same rules. */
export function pageOfResult({ uri, html: text, _meta }: NonNullable<ReturnType<typeof pageIn>>): AppPage {
  const content = { uri, mimeType: APP_MIME_TYPE, text, ...(isObject(_meta) && { _meta }) };
  return pageOf(uri, { contents: [content] });
}

/**
 * Tells a page that goes away without notice, as when its tab is closed, by the message that the host would have sent (spec:
 * ext-apps 2026-01-26, "Cleanup"). The stable API reports a closed tab only when the page is gone, and no message to it would
 * still arrive. Its answer can't be received, and what it sends to the host is lost; what is sent with `keepalive` is not. A
 * page that the host has never addressed is not ready, and one that was torn down knows.
 */
const TEARDOWN = `<script>(() => {
  let last;
  addEventListener('message', ({ source, data }) => { if (source === parent && data?.method) last = data.method; });
  addEventListener('pagehide', () => {
    if (!last || last === 'ui/resource-teardown') return;
    const data = { jsonrpc: '2.0', id: 'teardown', method: 'ui/resource-teardown', params: {} };
    dispatchEvent(new MessageEvent('message', { data, source: parent }));
  });
  document.currentScript.remove();
})()</script>`;

/**
 * Tells the page around it of each click. It runs before anything of the app, which can make no event that is trusted, does not know
 * the word, and changes nothing that is used here.
 * @param word letters and digits
 */
const reportOfClicks = (word: string) => `<script>(() => {
  const tell = parent.postMessage.bind(parent, '${word}', '*');
  addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) tell(); }, true);
  document.currentScript.remove();
})()</script>`;

/**
 * The displayed page. Its policy comes first, before anything of the page: a second `doctype`, `html` and `head` are ignored,
 * and a policy of the page's own can only remove more.
 * @param word by which the page around it knows clicks
 */
export function guardedHtml({ html, declaration }: Pick<AppPage, 'html' | 'declaration'>, word: string): string {
  const policy = policyOf(declaration).replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
  const ours = TEARDOWN + reportOfClicks(word);
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="${policy}">${ours}${html}`;
}

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

/** A declared address as a source of a policy. Undefined: it is no address of one site, or would allow more than that. */
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

/** Whether an app names a site that it reaches, or gets an ability of the browser. */
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

/** Longer pages are stored as a hash only: their changes are reported, not shown. */
const MAX_KEPT = 512 * 1024;
const MAX_APPS = 100;

interface AgreedApp {
  /** Fingerprint of the page. */
  readonly page: string;
  /** Fingerprint of the declaration. */
  readonly declaration: string;
  /** Both to be read, without secrets; `html` is undefined if it is too long to be kept. */
  readonly declared: unknown;
  readonly html: string | undefined;
  /** Fingerprints of the tools that the app may call while it is open, by name. Those that have changed are asked about. */
  readonly tools: Readonly<Record<string, string>>;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** `changed`: the person agreed to something else. `tools`: those that the app may call while it is open. */
export type Agreement =
  | { readonly state: 'new' }
  | { readonly state: 'agreed'; readonly tools: readonly Tool[] }
  | { readonly state: 'changed'; readonly before: AgreedApp };

interface AgreementStore {
  readonly ofPrograms?: true;
  read(server: ServerDefinition): Promise<unknown>;
  write(server: ServerDefinition, agreements: ProgramRecords): Promise<void>;
}

interface AgreeingServer {
  readonly definition: ServerDefinition;
  readonly catalog: { readonly tools: readonly Tool[] };
  redact(text: string): string;
}

/**
 * The apps that the person has agreed to show, by server and address, with the page and declarations at that time. A page that
 * differs in any letter is another app, unless the person has loosened pins: then only its declarations count. When the server's
 * name stands for another program, nothing that was agreed holds for that one.
 */
export class AppAgreements {
  constructor(
    private readonly store: AgreementStore,
    /** Whether the person wants no question when something that they agreed to has changed. */
    private readonly isLoosened: (server: ServerDefinition) => boolean,
  ) {}

  async of({ definition, catalog }: AgreeingServer, app: AppPage): Promise<Agreement> {
    const before = (await this.#read(definition))[app.uri]?.for(definition);
    if (!before) return { state: 'new' };
    const { page, declaration } = hashesOf(app);
    const isSame = before.declaration === declaration;
    const isAgreed = isSame && (before.page === page || this.isLoosened(definition));
    if (!isAgreed) return { state: 'changed', before };
    const { tools } = before;
    const same = catalog.tools.filter(tool => Object.hasOwn(tools, tool.name) && tools[tool.name] === hashOf(tool));
    return { state: 'agreed', tools: same };
  }

  /** Records that the person agrees to the current app, and to its calls of these tools. */
  async agree(server: AgreeingServer, app: AppPage, tools: readonly Tool[] = []): Promise<void> {
    const { definition } = server;
    const kept = await this.#read(definition);
    const html = app.html.length <= MAX_KEPT ? server.redact(app.html) : undefined;
    const hashes = Object.fromEntries(tools.map(tool => [tool.name, hashOf(tool)]));
    const agreed = { ...hashesOf(app), declared: readableDeclaration(app), html, tools: hashes, at: Date.now() };
    kept[app.uri] = new KeptFor<AgreedApp>(definition, agreed);
    const newest = Object.entries(kept).sort(([, a], [, b]) => b.stored.at - a.stored.at);
    await this.store.write(definition, programRecords(Object.fromEntries(newest.slice(0, MAX_APPS))));
  }

  async #read(definition: ServerDefinition): Promise<Record<string, KeptFor<AgreedApp>>> {
    const value = await this.store.read(definition);
    if (!isObject(value)) return {};
    // What somebody spoiled counts as nothing kept.
    return Object.fromEntries(
      Object.entries(value).flatMap(([uri, stored]) => {
        const kept = KeptFor.parse(stored, parseAgreed);
        return kept ? [[uri, kept] as const] : [];
      }),
    );
  }
}

/** What an earlier version has stored names no launch, and counts as nothing kept. */
function parseAgreed(value: unknown): AgreedApp | undefined {
  const { page, declaration, declared, html, tools, at } = Object(value) as Partial<AgreedApp>;
  const isText = html === undefined || typeof html === 'string';
  const areHashes = isObject(tools) && Object.values(tools).every(hash => typeof hash === 'string');
  if (typeof page !== 'string' || typeof declaration !== 'string' || typeof at !== 'number') return undefined;
  return isText && areHashes ? { page, declaration, declared, html, tools, at } : undefined;
}

export const hashOf = (tool: Tool): string => fingerprint(toolDefinition(tool));

const hashesOf = ({ html, declaration }: AppPage) => ({
  page: fingerprint(html),
  declaration: fingerprint(declaration),
});

/** The declaration as a person compares it: reachable sites and abilities, without empty lists. */
export function readableDeclaration({ declaration: { domains, permissions } }: Pick<AppPage, 'declaration'>): object {
  const lists = Object.entries(domains).filter(([, sources]) => sources.length > 0);
  return { ...Object.fromEntries(lists), ...(permissions.length > 0 && { permissions }) };
}

import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import type { ServerDefinition } from '../../../host/definition';
import type { PinMode, PinStore } from '../../trust';
import type { AppPage } from './appPage';

/** Longer pages are stored as a hash only: their changes are reported, not shown. */
const MAX_KEPT = 512 * 1024;
const MAX_APPS = 100;

/** The version of an app that the person agreed to. */
interface AgreedApp {
  /** Fingerprint of the page. */
  readonly page: string;
  /** Fingerprint of the declaration. */
  readonly declaration: string;
  /** Both to be read, without secrets; `html` is undefined if it is too long to be kept. */
  readonly declared: unknown;
  readonly html: string | undefined;
  /** Tools that the app may call while it is open. Agreements of earlier versions have none. */
  readonly tools?: readonly string[];
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** `changed`: the person agreed to something else. `tools`: names of tools that the app may call while it is open. */
export type Agreement =
  | { readonly state: 'new' }
  | { readonly state: 'agreed'; readonly tools: readonly string[] }
  | { readonly state: 'changed'; readonly before: AgreedApp };

/** The parts of a connection that agreements need. */
interface AgreeingServer {
  readonly definition: ServerDefinition;
  redact(text: string): string;
}

/**
 * The apps that the person has agreed to show, by server and address, with the page and declarations at that time. A page that
 * differs in any letter is another app, unless the person has loosened pins: then only its declarations count.
 */
export class AppAgreements {
  constructor(
    private readonly store: PinStore,
    private readonly mode: (server: ServerDefinition) => PinMode,
  ) {}

  async of({ definition }: AgreeingServer, app: AppPage): Promise<Agreement> {
    const before = (await this.#read(definition))[app.uri];
    if (!before) return { state: 'new' };
    const { page, declaration } = hashesOf(app);
    const isSame = before.declaration === declaration;
    const isAgreed = isSame && (before.page === page || this.mode(definition) !== 'enforce');
    return isAgreed ? { state: 'agreed', tools: before.tools ?? [] } : { state: 'changed', before };
  }

  /** Records that the person agrees to the current app, and to its calls of these tools. */
  async agree(server: AgreeingServer, app: AppPage, tools: readonly string[] = []): Promise<void> {
    const { definition } = server;
    const kept = await this.#read(definition);
    const html = app.html.length <= MAX_KEPT ? server.redact(app.html) : undefined;
    kept[app.uri] = { ...hashesOf(app), declared: readableDeclaration(app), html, tools, at: Date.now() };
    const newest = Object.entries(kept).sort(([, a], [, b]) => b.at - a.at);
    await this.store.write(definition, Object.fromEntries(newest.slice(0, MAX_APPS)));
  }

  async #read(definition: ServerDefinition): Promise<Record<string, AgreedApp>> {
    const value = await this.store.read(definition);
    if (!isObject(value)) return {};
    // What somebody spoiled counts as nothing kept.
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, AgreedApp] => isAgreed(entry[1])),
    );
  }
}

function isAgreed(value: unknown): value is AgreedApp {
  if (!isObject(value)) return false;
  const { page, declaration, html, tools = [], at } = value;
  const isText = html === undefined || typeof html === 'string';
  const areNames = Array.isArray(tools) && tools.every(name => typeof name === 'string');
  return typeof page === 'string' && typeof declaration === 'string' && typeof at === 'number' && isText && areNames;
}

const hashesOf = ({ html, declaration }: AppPage) => ({
  page: fingerprint(html),
  declaration: fingerprint(declaration),
});

/** The declaration as a person compares it: reachable sites and abilities, without empty lists. */
export function readableDeclaration({ declaration: { domains, permissions } }: Pick<AppPage, 'declaration'>): object {
  const lists = Object.entries(domains).filter(([, sources]) => sources.length > 0);
  return { ...Object.fromEntries(lists), ...(permissions.length > 0 && { permissions }) };
}

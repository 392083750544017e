import { Owner } from '../base/events';
import { Coalescer } from '../base/queue';
import type { ServerConnection } from '../host';
import { CATALOG_KINDS, type CatalogKind } from '../host/catalog';
import type { GatewayTrust } from './gatewayTrust';
import { toolsForClients } from './toolsForModels';

/** Lists that clients know: templates are announced with resources. */
export type AnnouncedKind = 'tools' | 'prompts' | 'resources';

/** Short, because the catalog has already waited for a burst to end. A restart changes all lists at once. */
export const ANNOUNCE = { quietMs: 50, maxMs: 300 };

/** Clients read all of a list anew. While a list goes on changing, the pauses between announcements grow; a calm one is announced at once. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const CALM_MS = 5_000;

/** Notices when the lists that clients were given differ from what they would be given now. */
export class ListChanges extends Owner {
  /** The lists that clients have. Absent: no client has asked yet. */
  readonly #known = new Map<CatalogKind, readonly unknown[]>();
  readonly #changed = new Set<AnnouncedKind>();
  readonly #check = this.own(new Coalescer(() => this.#announce(), ANNOUNCE));
  #announcedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #paused: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: ServerConnection,
    private readonly trust: Pick<GatewayTrust, 'pins' | 'offered'>,
    private readonly changed: (kind: AnnouncedKind) => void,
  ) {
    super();
    // Their pages come from the server itself, so the first may be handed out at any time.
    for (const kind of ['resources', 'resourceTemplates'] as const) this.#known.set(kind, this.#offered(kind));
    this.own(server.catalog.onDidChange(() => this.#check.trigger()));
    this.own(
      trust.pins.onDidChange(id => {
        if (id === server.id) this.#check.trigger();
      }),
    );
    if (trust.offered) this.own(trust.offered.onDidChange(() => this.#check.trigger()));
  }

  /** To be called when a client got this list. Clients that have a different one are notified. */
  noteList(kind: 'tools' | 'prompts', items: readonly unknown[]): void {
    this.#compare(kind, items);
    if (this.#changed.size > 0) this.#check.trigger();
  }

  override dispose(): void {
    super.dispose();
    clearTimeout(this.#paused);
  }

  #announce(): void {
    clearTimeout(this.#paused);
    const now = performance.now();
    const waits = this.#announcedAt + this.#pauseMs - now;
    if (waits > 0) {
      this.#paused = setTimeout(() => this.#announce(), waits).unref();
      return;
    }
    for (const kind of CATALOG_KINDS) {
      const isListed = this.server.catalog.list(kind).status === 'ready';
      if (isListed && this.#known.has(kind)) this.#compare(kind, this.#offered(kind));
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.length > 0) {
      const isCalm = now - this.#announcedAt > 2 * this.#pauseMs + CALM_MS;
      this.#pauseMs = isCalm ? 0 : Math.min(MAX_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
      this.#announcedAt = now;
    }
    for (const kind of changed) this.changed(kind);
  }

  #compare(kind: CatalogKind, items: readonly unknown[]): void {
    const known = this.#known.get(kind);
    this.#known.set(kind, items);
    const isSame = !known || (known.length === items.length && known.every((item, index) => item === items[index]));
    if (!isSame) this.#changed.add(kind === 'resourceTemplates' ? 'resources' : kind);
  }

  #offered(kind: CatalogKind): readonly unknown[] {
    const { server, trust } = this;
    const { pins } = trust;
    if (kind === 'tools') return toolsForClients(server, trust);
    if (kind === 'prompts') return server.catalog.prompts.filter(prompt => !pins.blocksPrompt(server, prompt));
    const one = kind === 'resources' ? 'resource' : 'resourceTemplate';
    return (server.catalog[kind] as readonly unknown[]).filter(item => !pins.blocksResource(server, one, item));
  }
}

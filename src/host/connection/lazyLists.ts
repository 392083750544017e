import { HostError } from '../../base/errors';
import { Emitter, Owner } from '../../base/events';
import { lengthOf } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { anyObject } from '../reading/carried';
import { MAX_LIST_LENGTH } from '../reading/lists';
import type { AllowedRequests, WantedRequest } from './allowedRequests';
import type { ServerConnection } from './connection';

/** A list that an extension of the protocol adds, as far as the server has been asked for it. */
export interface LazyList<T> {
  readonly status: 'loading' | 'ready' | 'failed';
  /** The last one that was loaded. */
  readonly list: T | undefined;
  readonly error?: HostError;
}

interface KeptList<T> {
  now: LazyList<T>;
  loading: Promise<void>;
}

/** One such list of each running server, which is asked for when somebody looks. */
export class LazyLists<T> extends Owner {
  readonly #changed = this.own(new Emitter<ServerConnection>());
  readonly onDidChange = this.#changed.event;
  /** By what a server said when it came up: another start may list others. */
  readonly #kept = new WeakMap<object, KeptList<T>>();

  /** @param isOffered whether a running server has such a list. @param load rejects with a `HostError`. */
  constructor(
    private readonly isOffered: (server: ServerConnection) => boolean,
    private readonly load: (server: ServerConnection) => Promise<T>,
  ) {
    super();
  }

  /** What is known now; the first call asks the server. Undefined if it offers none. */
  of(server: ServerConnection): LazyList<T> | undefined {
    return this.#of(server)?.now;
  }

  /** Resolves when the list that is being loaded has come or failed. */
  async loaded(server: ServerConnection): Promise<void> {
    await this.#of(server)?.loading;
  }

  /** Asks for the list anew. Never rejects: a failure is its status. */
  async refresh(server: ServerConnection): Promise<void> {
    const kept = this.#of(server);
    if (!kept) return;
    kept.loading = kept.loading.then(() => this.#load(server, kept));
    await kept.loading;
  }

  /** Changes the loaded list when the server has told something newer in answer to another request. */
  change(server: ServerConnection, changed: (list: T) => T): void {
    const kept = this.#of(server);
    if (!kept) return;
    if (kept.now.list !== undefined) kept.now = { ...kept.now, list: changed(kept.now.list) };
    this.#changed.fire(server);
  }

  #of(server: ServerConnection): KeptList<T> | undefined {
    const { info } = server;
    if (!info || !this.isOffered(server)) return undefined;
    let kept = this.#kept.get(info);
    if (!kept) {
      kept = { now: { status: 'loading', list: undefined }, loading: Promise.resolve() };
      this.#kept.set(info, kept);
      kept.loading = this.#load(server, kept);
    }
    return kept;
  }

  async #load(server: ServerConnection, kept: KeptList<T>): Promise<void> {
    const { list } = kept.now;
    kept.now = { status: 'loading', list };
    try {
      kept.now = { status: 'ready', list: await this.load(server) };
    } catch (error) {
      kept.now = { status: 'failed', list, error: error as HostError };
    }
    this.#changed.fire(server);
  }
}

interface PagedRequest {
  readonly method: WantedRequest['method'];
  /** The member of a result that has the entries. */
  readonly member: string;
  /** Completes "could not ". */
  readonly action: Phrase;
  readonly maxPages: number;
}

interface ListPage {
  readonly result: Readonly<Record<string, unknown>>;
  readonly entries: readonly unknown[];
  /** Whether the server has more, which is not read. */
  readonly isCut: boolean;
}

/** The pages of such a list (spec: server/utilities/pagination). Rejects with a `HostError`. */
export async function* listPages(
  { name, forward }: Pick<AllowedRequests, 'forward'> & { readonly name: string },
  { method, member, action, maxPages }: PagedRequest,
): AsyncGenerator<ListPage, void> {
  const cursors = new Set<string>();
  let length = 0;
  let params: Readonly<Record<string, string>> | undefined = {};
  while (params) {
    const result: Record<string, unknown> = await forward({ method, params }, action, anyObject);
    const { [member]: entries, nextCursor: cursor } = result;
    if (!Array.isArray(entries)) {
      const reason = phrase('"{0}" is not an array', member);
      throw new HostError({ code: 'PROTOCOL', server: name, action, reason });
    }
    const hasMore = typeof cursor === 'string';
    // Some servers repeat their last cursor endlessly.
    length += lengthOf(result);
    const isCut = hasMore && (cursors.has(cursor) || cursors.size + 1 >= maxPages || length > MAX_LIST_LENGTH);
    yield { result, entries: entries as unknown[], isCut };
    params = hasMore && !isCut ? { cursor } : undefined;
    if (hasMore) cursors.add(cursor);
  }
}

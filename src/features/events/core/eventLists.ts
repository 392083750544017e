import type { HostError } from '../../../base/errors';
import { type Disposable, Emitter } from '../../../base/events';
import { type RequestsOf, type ServerConnection, servesEvents } from '../../../host';
import { type EventTypeList, listEventTypes } from './eventTypes';

/** The types of events of one server, as far as it has been asked for them. */
export interface KnownTypes {
  readonly status: 'loading' | 'ready' | 'failed';
  /** The last list that was loaded. */
  readonly list: EventTypeList | undefined;
  readonly error?: HostError;
}

/** The types of events of the running servers, listed when they are first looked at and when they change. */
export class EventLists implements Disposable {
  readonly #changed = new Emitter<ServerConnection>();
  readonly onDidChange = this.#changed.event;
  /** By what a server said when it came up: another start may list others. */
  readonly #known = new WeakMap<object, { types: KnownTypes; loading: Promise<void> }>();
  readonly #announcements = new Map<ServerConnection, Disposable>();

  constructor(private readonly requests: RequestsOf) {}

  /** What is known now; the first call asks the server. Undefined if it offers no events. */
  known(server: ServerConnection): KnownTypes | undefined {
    return this.#of(server)?.types;
  }

  /** Resolves when the list that is being loaded has come or failed. */
  async loaded(server: ServerConnection): Promise<void> {
    await this.#of(server)?.loading;
  }

  /** Asks for the list anew. Never rejects: a failure is its status. */
  async refresh(server: ServerConnection): Promise<void> {
    const known = this.#of(server);
    if (!known) return;
    known.loading = known.loading.then(() => this.#load(server, known));
    await known.loading;
  }

  dispose(): void {
    for (const announcement of this.#announcements.values()) announcement.dispose();
    this.#announcements.clear();
    this.#changed.dispose();
  }

  #of(server: ServerConnection) {
    const { info } = server;
    if (!info || !servesEvents(server)) return undefined;
    let known = this.#known.get(info);
    if (!known) {
      known = { types: { status: 'loading', list: undefined }, loading: Promise.resolve() };
      this.#known.set(info, known);
      known.loading = this.#load(server, known);
      if (!this.#announcements.has(server))
        this.#announcements.set(
          server,
          server.onDidChangeEventTypes(() => void this.refresh(server)),
        );
    }
    return known;
  }

  async #load(server: ServerConnection, known: { types: KnownTypes }): Promise<void> {
    const { list } = known.types;
    known.types = { status: 'loading', list };
    try {
      const { forward } = this.requests(server);
      known.types = { status: 'ready', list: await listEventTypes({ name: server.name, forward }) };
    } catch (error) {
      known.types = { status: 'failed', list, error: error as HostError };
    }
    this.#changed.fire(server);
  }
}

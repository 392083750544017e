import { HostError } from '../../../base/errors';
import { type Disposable, Emitter } from '../../../base/events';
import { isObject } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import { type AllowedRequests, anyObject, type RequestsOf, type ServerConnection, servesEvents } from '../../../host';

const MAX_PAGES = 50;
const MAX_TYPES = 500;
const MAX_NAME = 200;
/** In characters, as JSON. */
const MAX_SCHEMA = 256 * 1024;

/** How an editor can get events. The third mode of the draft, webhook, needs an address that servers can reach. */
export type FollowMode = 'push' | 'poll';

/** A type of events that a server offers (SEP-3415, `events/list`). */
export interface EventType {
  readonly name: string;
  readonly description: string | undefined;
  /** The ways in which it can be followed here, the preferred one first. Empty: it can't. */
  readonly modes: readonly FollowMode[];
  /** The JSON schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** All types of events that a server lists. */
interface EventTypeList {
  readonly types: readonly EventType[];
  /** How many entries could not be used. */
  readonly unusable: number;
  /** Whether the server has more than were read. */
  readonly isCut: boolean;
}

/** Lists the types of events of a server, page by page. Rejects with a `HostError`. */
export async function listEventTypes(
  server: Pick<AllowedRequests, 'forward'> & { readonly name: string },
): Promise<EventTypeList> {
  const action = phrase('list its events');
  const byName = new Map<string, EventType>();
  const cursors = new Set<string>();
  let unusable = 0;
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const { events, nextCursor } = await server.forward({ method: 'events/list', params }, action, anyObject);
    if (!Array.isArray(events)) {
      const reason = phrase('"events" is not an array');
      throw new HostError({ code: 'PROTOCOL', server: server.name, action, reason });
    }
    for (const entry of events as unknown[]) {
      if (byName.size >= MAX_TYPES) return { types: [...byName.values()], unusable, isCut: true };
      const type = checkType(entry);
      if (!type || byName.has(type.name)) unusable++;
      else byName.set(type.name, type);
    }
    // Some servers return their last cursor over and over.
    if (typeof nextCursor !== 'string' || cursors.has(nextCursor))
      return { types: [...byName.values()], unusable, isCut: typeof nextCursor === 'string' };
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { types: [...byName.values()], unusable, isCut: true };
}

/** Undefined for an entry that can't be used. */
function checkType(entry: unknown): EventType | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, delivery, inputSchema = { type: 'object' } } = entry;
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME) return undefined;
  if (!isObject(inputSchema) || JSON.stringify(inputSchema).length > MAX_SCHEMA) return undefined;
  if (!Array.isArray(delivery) || delivery.length === 0) return undefined;
  const modes = (['push', 'poll'] as const).filter(mode => delivery.includes(mode));
  return { name, description: typeof description === 'string' ? description : undefined, modes, inputSchema };
}

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

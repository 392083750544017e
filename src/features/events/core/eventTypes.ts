import { DisposableMap, getOrInsert } from '../../../base/events';
import { isObject } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import {
  type AllowedRequests,
  LazyLists,
  listPages,
  type RequestsOf,
  type ServerConnection,
  servesEvents,
} from '../../../host';

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

export interface EventTypeList {
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
  const byName = new Map<string, EventType>();
  let [unusable, isCut] = [0, false];
  const request = {
    method: 'events/list',
    member: 'events',
    action: phrase('list its events'),
    maxPages: MAX_PAGES,
  } as const;
  for await (const page of listPages(server, request)) {
    isCut = page.isCut;
    for (const entry of page.entries) {
      if (byName.size >= MAX_TYPES) return { types: [...byName.values()], unusable, isCut: true };
      const type = checkType(entry);
      if (!type || byName.has(type.name)) unusable++;
      else byName.set(type.name, type);
    }
  }
  return { types: [...byName.values()], unusable, isCut };
}

function checkType(entry: unknown): EventType | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, delivery, inputSchema = { type: 'object' } } = entry;
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME) return undefined;
  if (!isObject(inputSchema) || JSON.stringify(inputSchema).length > MAX_SCHEMA) return undefined;
  if (!Array.isArray(delivery) || delivery.length === 0) return undefined;
  const modes = (['push', 'poll'] as const).filter(mode => delivery.includes(mode));
  return { name, description: typeof description === 'string' ? description : undefined, modes, inputSchema };
}

/** The types of events of the running servers, listed when they are first looked at and when they change. */
export class EventLists extends LazyLists<EventTypeList> {
  readonly #announcements = this.own(new DisposableMap<ServerConnection>());

  constructor(requests: RequestsOf) {
    super(servesEvents, server => {
      getOrInsert(this.#announcements, server, () => server.onDidChangeEventTypes(() => void this.refresh(server)));
      return listEventTypes({ name: server.name, forward: requests(server).forward });
    });
  }
}

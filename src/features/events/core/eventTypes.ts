import { HostError } from '../../../base/errors';
import { isObject } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import { type AllowedRequests, anyObject } from '../../../host';

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

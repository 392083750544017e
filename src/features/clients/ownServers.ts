import { type Disposable, until } from '../../base/events';
import { isObject } from '../../base/json';
import { english } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerConnection, ServerSet } from '../../host';
import { type Problem, parseServers } from '../../host/settings';
import { ApiError, apiError, copyOf } from './apiError';

const MAX_SHOWN = 10;
/** Deeper than an entry is. */
const MAX_DEPTH = 8;

/**
 * Definitions of servers from an extension, as a copy. An extension is code: what it writes and nobody reads is a mistake, which
 * its author should see at once.
 * @throws ApiError `INVALID` with the name of each field that is unknown or wrong.
 */
export function checkedDefinitions(
  extension: string,
  given: unknown,
): { readonly names: readonly string[]; readonly copy: Readonly<Record<string, object>> } {
  if (!isObject(given)) throw new ApiError('INVALID', 'The definitions are no object.');
  const copy = copyOf(given) as Record<string, object>;
  const { servers, problems } = parseServers(copy);
  const found = [...inherited(given), ...[...problems, ...servers.flatMap(server => server.problems)].flatMap(refusal)];
  if (found.length === 0) return { names: servers.map(({ name }) => name), copy };
  const more = found.length > MAX_SHOWN ? `; and ${found.length - MAX_SHOWN} more` : '';
  throw new ApiError(
    'INVALID',
    `The servers of ${extension} were not added: ${found.slice(0, MAX_SHOWN).join('; ')}${more}. The fields are those of the setting "mcpHost.servers".`,
  );
}

function refusal({ severity, path, message, isUnknown, meant }: Problem): string[] {
  const [server, ...field] = path;
  const where = `server "${visible(server ?? '', 60)}"`;
  const name = `"${visible(field.join('.'), 100)}"`;
  // Reported by `inherited`, with all others of its kind.
  if (isUnknown && field.at(-1) === '__proto__') return [];
  if (isUnknown) return [`${where} has the unknown field ${name}${meant ? ` (did you mean "${meant}"?)` : ''}`];
  return severity === 'error' ? [`${where}: ${english(message).replace(/\.$/, '')}`] : [];
}

/** Fields that are called `__proto__`, and members that an object only inherits, which a copy would lose without a word. */
function inherited(value: object, path: readonly string[] = []): string[] {
  if (path.length > MAX_DEPTH) return [];
  const prototype: object | null = Object.getPrototypeOf(value);
  const isPlain =
    prototype === null || (Object.getPrototypeOf(prototype) === null && Object.keys(prototype).length === 0);
  const isOdd = !Array.isArray(value) && (!isPlain || Object.hasOwn(value, '__proto__'));
  const own = isOdd ? [`"${visible([...path, '__proto__'].join('.'), 100)}" is no field`] : [];
  const inside = Object.entries(value).flatMap(([key, member]) =>
    typeof member === 'object' && member !== null && key !== '__proto__' ? inherited(member, [...path, key]) : [],
  );
  return [...own, ...inside];
}

interface WatchedServers extends Pick<ServerSet, 'all'> {
  readonly onDidChange: (listener: () => void) => Disposable;
}

/** The first server that fits, as soon as there is one. Rejects with the reason of `signal`. */
export async function untilThere(
  servers: WatchedServers,
  fits: (server: ServerConnection) => boolean,
  signal: AbortSignal,
): Promise<ServerConnection> {
  let found: ServerConnection | undefined;
  const look = () => {
    found ??= servers.all.find(fits);
    return found !== undefined;
  };
  await until(look, [servers.onDidChange], { signal });
  if (!found) throw signal.reason;
  return found;
}

/** States in which a server stays unless somebody does something. */
const LASTING = ['ready', 'failed', 'stopped'];

/**
 * Resolves when the server is ready. It waits while the person is asked something, and while the server starts or restarts; one
 * that is used on demand is started. Rejects with an `ApiError` when the server fails or is stopped, and with the reason of
 * `signal`.
 */
export async function untilUp(server: ServerConnection, signal: AbortSignal): Promise<void> {
  // A server that was just added starts after that was announced, and a restart passes through `stopped`.
  await Promise.resolve();
  if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand') server.untilReady(signal).catch(() => {}); // its failure is its state
  for (;;) {
    await until(() => LASTING.includes(server.state.kind), [server.onDidChangeState], { signal });
    signal.throwIfAborted();
    const { state } = server;
    if (state.kind === 'ready') return;
    if (state.kind === 'failed') throw apiError(state.error);
    const why = `MCP server "${server.id}" was stopped. Start it to use it.`;
    if (state.kind === 'stopped') throw new ApiError('NOT_READY', why);
  }
}

import type { Behaviour } from '../raw/behaviour';
import { ErrorCode, errorAnswer, isObject, type JsonObject, type RequestId, RpcError } from '../raw/messages';
import { text } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, plain, withText } from './flag';

/** Codes of the draft (SEP-3415#error-handling). */
const NOT_FOUND = -32023;
const FORBIDDEN = -32024;
const UNSUPPORTED = -32026;

interface Subscriber {
  readonly session: RawSession;
  readonly id: RequestId;
  readonly name: string;
  readonly args: JsonObject;
}

/** What `--events` has made. */
interface Source {
  readonly types: (JsonObject & { name: string })[];
  /** All events, the oldest first. A cursor is an index. */
  readonly log: { readonly name: string; readonly data: JsonObject; readonly eventId: string }[];
  readonly open: Map<RequestId, Subscriber>;
  /** Events before this index are forgotten. */
  forgotten: number;
  /** Take the place of what a well-behaved server does. */
  readonly faults: Set<string>;
}

const sources = new WeakMap<Behaviour, Source>();
const META = 'io.modelcontextprotocol/subscriptionId';

const ordinary = (): Source['types'] => [
  {
    name: 'note.added',
    description: 'A note was added to the notebook',
    delivery: ['webhook', 'poll', 'push'],
    inputSchema: { type: 'object', properties: { folder: { type: 'string', description: 'Only in this folder' } } },
    payloadSchema: { type: 'object' },
  },
  {
    name: 'build.finished',
    description: 'A build is over, well or not',
    delivery: ['poll'],
    inputSchema: { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] },
    payloadSchema: { type: 'object' },
  },
  { name: 'disk.full', description: 'Sent to a callback', delivery: ['webhook'], inputSchema: { type: 'object' } },
];

/** Offers events from now on, and says on stderr what is asked for. */
function serve(behaviour: Behaviour): Source {
  const known = sources.get(behaviour);
  if (known) return known;
  const source: Source = { types: ordinary(), log: [], open: new Map(), forgotten: 0, faults: new Set() };
  sources.set(behaviour, source);
  const { offer } = behaviour;
  offer.capabilities.extensions = { 'io.modelcontextprotocol/events': { listChanged: true } };
  offer.tools.push({
    definition: {
      name: 'happen',
      description: 'Makes events happen, or something happen to those who follow them',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, data: {}, times: { type: 'integer' }, what: { type: 'string' } },
      },
    },
    call: args => {
      happen(source, args);
      return text('It happened.');
    },
  });
  behaviour.incoming.push((message, session) => {
    const { id, method = '', params = {} } = message;
    if (method === 'notifications/cancelled' && source.open.delete(params.requestId as RequestId))
      console.error(`events: cancelled ${String(params.requestId)}`);
    if (!method.startsWith('events/') || id === undefined || id === null) return undefined;
    const { _meta, ...asked } = params;
    console.error(`events: ${method} ${JSON.stringify(asked)}`);
    try {
      const result = answer(source, { method, params, id, session, pageSize: behaviour.pageSize });
      if (result) session.send({ jsonrpc: '2.0', id, result }, id, true);
    } catch (error) {
      session.send(errorAnswer(id, error), id, true);
    }
    return 'handled';
  });
  return source;
}

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly id: RequestId;
  readonly session: RawSession;
  readonly pageSize: number;
}

/** Undefined for a stream, which is not answered until it ends. */
function answer(source: Source, { method, params, id, session, pageSize }: Asked): JsonObject | undefined {
  const { types, faults } = source;
  if (method === 'events/list') {
    const from = Number(params.cursor ?? 0);
    const end = from + pageSize;
    const more = end < types.length || faults.has('endless-list');
    return { events: types.slice(from, end), ...(more && { nextCursor: String(end < types.length ? end : 0) }) };
  }
  const type = types.find(({ name }) => name === params.name);
  if (!type) throw new RpcError(NOT_FOUND, 'No such event', { kind: 'event' });
  const args = isObject(params.arguments) ? params.arguments : {};
  if (args.folder === 'secret') throw new RpcError(FORBIDDEN, 'You may not see that folder');
  if (type.name === 'build.finished' && typeof args.branch !== 'string')
    throw new RpcError(ErrorCode.invalidParams, 'branch is missing');
  if (method === 'events/poll') {
    if (faults.delete('poll-fails-once')) throw new RpcError(ErrorCode.internal, 'The upstream is away');
    return poll(source, type.name, args, params);
  }
  if (method !== 'events/stream') throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
  if (faults.has('no-push')) throw new RpcError(UNSUPPORTED, 'No streams here', { feature: 'deliveryMode' });
  const subscriber = { session, id, name: type.name, args };
  source.open.set(id, subscriber);
  const { from, truncated } = positionOf(source, params);
  tell(source, subscriber, 'active', { truncated });
  for (let index = from; index < source.log.length; index++) deliver(source, subscriber, index);
  return undefined;
}

function positionOf({ log, forgotten }: Source, { cursor }: JsonObject): { from: number; truncated: boolean } {
  const from = typeof cursor === 'string' ? Number(cursor.slice(1)) : log.length;
  return { from: Math.max(from, forgotten), truncated: from < forgotten };
}

const fits = ({ name, data }: Source['log'][number], type: string, args: JsonObject) =>
  name === type && Object.entries(args).every(([key, value]) => data[key] === value);

function occurrence({ log, faults }: Source, index: number, cursor: boolean): JsonObject {
  const { name, data, eventId } = log[index]!;
  const event: JsonObject = { eventId, name, timestamp: '2026-02-19T15:30:00Z', data };
  if (faults.has('odd')) event.data = 'not an object';
  return cursor && !faults.has('no-cursor') ? { ...event, cursor: `#${index + 1}` } : event;
}

function poll(source: Source, name: string, args: JsonObject, params: JsonObject): JsonObject {
  const { log, faults } = source;
  const { from, truncated } = positionOf(source, params);
  const max = Math.min(Number(params.maxEvents ?? 50), 50);
  const events: JsonObject[] = [];
  let index = from;
  for (; index < log.length && events.length < max; index++)
    if (fits(log[index]!, name, args)) events.push(occurrence(source, index, false));
  return {
    events,
    ...(!faults.has('no-cursor') && { cursor: `#${index}` }),
    truncated,
    hasMore: index < log.length || faults.has('always-more'),
    nextPollMs: 1,
  };
}

function tell({ log, faults }: Source, { session, id }: Subscriber, kind: string, params: JsonObject): void {
  const cursor: JsonObject = faults.has('no-cursor') || 'cursor' in params ? {} : { cursor: `#${log.length}` };
  session.notify(`notifications/events/${kind}`, { ...cursor, ...params, _meta: { [META]: id } }, id);
}

function deliver(source: Source, subscriber: Subscriber, index: number): void {
  if (!fits(source.log[index]!, subscriber.name, subscriber.args)) return;
  tell(source, subscriber, 'event', occurrence(source, index, true));
  if (source.faults.has('twice')) tell(source, subscriber, 'event', occurrence(source, index, true));
}

/** What the tool `happen` does: events of a type, or something else to all streams. */
function happen(source: Source, { name, data, times, what }: JsonObject): void {
  const subscribers = [...source.open.values()];
  for (let i = 0; what === undefined && i < Number(times ?? 1); i++) {
    const event = { name: String(name), data: isObject(data) ? data : {}, eventId: `evt_${source.log.length + 1}` };
    source.log.push(event);
    for (const subscriber of subscribers) deliver(source, subscriber, source.log.length - 1);
  }
  if (what === 'forget') source.forgotten = source.log.length;
  if (what === 'remove') source.types.splice(0, 1);
  if (what === 'remove' || what === 'change') sessionOf(subscribers)?.notify('notifications/events/list_changed');
  for (const subscriber of subscribers) {
    const { session, id } = subscriber;
    if (what === 'gap') tell(source, subscriber, 'active', { truncated: true });
    if (what === 'heartbeat') tell(source, subscriber, 'heartbeat', {});
    if (what === 'error')
      tell(source, subscriber, 'error', { error: { code: -32603, message: 'The upstream is away' } });
    if (what === 'terminate')
      tell(source, subscriber, 'terminated', { error: { code: FORBIDDEN, message: 'Access was revoked' } });
    if (what === 'end') session.send({ jsonrpc: '2.0', id, result: { _meta: { [META]: id } } }, id, true);
    if (what === 'end' || what === 'terminate') source.open.delete(id);
  }
}

const sessionOf = (subscribers: readonly Subscriber[]) => subscribers[0]?.session;

/** Each changes how `--events` serves them. */
const FAULTS = [
  'always-more: say that there is always more',
  'endless-list: say that the list goes on for ever',
  'no-cursor: have no positions',
  'no-push: refuse streams',
  'odd: send events whose payload is not an object',
  'poll-fails-once: fail at the first poll',
  'twice: send each event on a stream twice',
];

/** Servers of events (extension io.modelcontextprotocol/events, SEP-3415), good and bad. */
export const eventFlags: Readonly<Record<string, Flag>> = {
  events: plain('before --modern: offer three types of events, and a tool that makes them happen', behaviour => {
    serve(behaviour);
  }),
  'events-fault': withText('kind', FAULTS.join('; '), (behaviour, kind) => {
    if (!FAULTS.some(fault => fault.startsWith(`${kind}:`))) throw new Error('needs one of its kinds');
    serve(behaviour).faults.add(kind);
  }),
};

import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from '../../base/errors';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/**
 * Every method that goes to a server, by who may send it. `HostClient` sends no message whose method is not here.
 *
 * - `host`: the host alone, for its own connection, or to follow up what was let through: a stream of the changes of what was
 *   subscribed, the state of a task that the server has given it. Nothing in it comes from a caller.
 * - `call`: `ToolCalls` alone.
 * - `subscribe`: `Requests.subscribe` alone, for a named caller; the host repeats it in each session.
 * - `follow`: `Requests.followEvents` alone, for a person who follows events of a server.
 * - `person`: besides the host, a person who sends a message of the trace again.
 * - `caller`: any named caller, through `Requests`; lists also the host, for its catalog.
 */
export const SENDERS = {
  host: 'initialize notifications/cancelled notifications/initialized notifications/progress notifications/roots/list_changed notifications/tasks/status subscriptions/listen tasks/update',
  call: 'tools/call',
  subscribe: 'resources/subscribe',
  follow: 'events/stream',
  person:
    'events/list events/poll logging/setLevel ping resources/unsubscribe server/discover tasks/cancel tasks/get tasks/result',
  caller:
    'completion/complete prompts/get prompts/list resources/list resources/read resources/templates/list skills/get skills/list tools/list',
} as const;

type Sender = keyof typeof SENDERS;
type SentBy<S extends Sender> = Words<(typeof SENDERS)[S]>;

/** Methods of requests that any named caller may make. */
type CallerMethod = SentBy<'caller'>;
/** Methods of requests that a person may send again. */
export type PersonMethod = SentBy<'caller' | 'person' | 'subscribe'>;

/** Whether the answer to a caller is content of the server: what a model may then have read. */
const ANSWERS_CONTENT: { readonly [M in CallerMethod]: boolean } = {
  'completion/complete': true,
  'prompts/get': true,
  'resources/read': true,
  'skills/get': true,
  // What these list is what the catalog has, which is pinned.
  'prompts/list': false,
  'resources/list': false,
  'resources/templates/list': false,
  'skills/list': false,
  'tools/list': false,
};

const sentBy = (...senders: Sender[]): ReadonlySet<string> =>
  new Set(senders.flatMap(sender => SENDERS[sender].split(' ')));
const CALLERS = sentBy('caller');
const PERSONS = sentBy('caller', 'person', 'subscribe');
const KNOWN = sentBy('host', 'call', 'subscribe', 'follow', 'person', 'caller');

export const isKnownMethod = (method: string): boolean => KNOWN.has(method);
export const isCallerMethod = (method: string): method is CallerMethod => CALLERS.has(method);
/** Whether a model that gets the answer has read content of the server. */
export const givesContent = (method: string): boolean => isCallerMethod(method) && ANSWERS_CONTENT[method];
export const isPersonMethod = (method: string): method is PersonMethod => PERSONS.has(method);

/** Lists, which a server may not have. */
const LIST = /^(tools|prompts|resources|resources\/templates)\/list$/;

/** A request of the host, and the code of the error that answers it. */
interface RefusedRequest {
  readonly method: string | undefined;
  readonly code: unknown;
  /** Whether it asks at the beginning of a session, before the era of the server is known. */
  readonly isProbe: boolean;
}

/**
 * Whether an error says only that a server does not know what the host asked to find out what it can do: nothing has failed.
 * At the beginning, any error but that of the versions means so (spec: basic/versioning).
 */
export function isNotSupported({ method = '', code, isProbe }: RefusedRequest): boolean {
  if (method === 'server/discover' && isProbe) return code !== UNSUPPORTED_PROTOCOL_VERSION;
  return code === METHOD_NOT_FOUND && LIST.test(method);
}

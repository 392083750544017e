/**
 * Every method that goes to a server, and who may send it. `HostClient` sends no message whose method is not here.
 *
 * - `host`: the host alone, for its own connection, or to follow up what it let through. Nothing in it comes from a caller.
 * - `call`: `ToolCalls` alone.
 * - `subscribe`: `Requests.subscribe` alone, for a named caller; the host repeats it in each session.
 * - `person`: besides the host, a person who sends a message of the trace again.
 * - `caller`: any named caller, through `Requests`; lists, which the catalog asks for, also the host.
 */
export const SENDERS = {
  'completion/complete': 'caller',
  initialize: 'host',
  'logging/setLevel': 'person',
  'notifications/cancelled': 'host',
  'notifications/initialized': 'host',
  'notifications/progress': 'host',
  'notifications/roots/list_changed': 'host',
  // About a task that the server has given the host.
  'notifications/tasks/status': 'host',
  ping: 'person',
  'prompts/get': 'caller',
  'prompts/list': 'caller',
  'resources/list': 'caller',
  'resources/read': 'caller',
  'resources/subscribe': 'subscribe',
  'resources/templates/list': 'caller',
  // Of what was subscribed.
  'resources/unsubscribe': 'person',
  'server/discover': 'person',
  'skills/get': 'caller',
  'skills/list': 'caller',
  // A stream of the changes of what was subscribed.
  'subscriptions/listen': 'host',
  // About the task that a call has become.
  'tasks/cancel': 'person',
  'tasks/get': 'person',
  'tasks/result': 'person',
  'tasks/update': 'host',
  'tools/call': 'call',
  'tools/list': 'caller',
} as const satisfies Readonly<Record<string, 'host' | 'call' | 'subscribe' | 'person' | 'caller'>>;

type SentBy<Sender> = {
  [M in keyof typeof SENDERS]: (typeof SENDERS)[M] extends Sender ? M : never;
}[keyof typeof SENDERS];

/** Methods of requests that any named caller may make. */
export type CallerMethod = SentBy<'caller'>;
/** Methods of requests that a person may send again. */
export type PersonMethod = CallerMethod | SentBy<'person' | 'subscribe'>;

export const isKnownMethod = (method: string): method is keyof typeof SENDERS => Object.hasOwn(SENDERS, method);

export const isCallerMethod = (method: string): method is CallerMethod =>
  isKnownMethod(method) && SENDERS[method] === 'caller';

export const isPersonMethod = (method: string): method is PersonMethod =>
  isKnownMethod(method) && SENDERS[method] !== 'host' && SENDERS[method] !== 'call';

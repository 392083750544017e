import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { anyObject } from '../sdk/anyResult';
import type { ServerRequests, StreamOptions } from './requests';

type Params = Readonly<Record<string, unknown>>;

/** How the events of one type, with its arguments, are got from a server (SEP-3415). Both reject with a `HostError`. */
export interface EventChannel {
  /** Makes one `events/poll`. @param more its parameters besides the type and the arguments. */
  poll(more: Params, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Makes one `events/stream`. Resolves when the server ends it. @param more as for `poll`. */
  stream(more: Params, options: StreamOptions): Promise<void>;
}

/** For the policy, once it has allowed that these events are followed. A server that is not ready is not waited for. */
export function eventChannel(requests: ServerRequests, name: string, args: Params): EventChannel {
  const action = phrase('follow the events {0}', visible(name));
  return {
    poll: (more, signal) =>
      requests.request(
        action,
        (client, options) =>
          client.request({ method: 'events/poll', params: { name, arguments: args, ...more } }, anyObject, options),
        { signal, waits: false },
      ),
    stream: (more, options) =>
      requests.stream(action, { method: 'events/stream', params: { name, arguments: args, ...more } }, options),
  };
}

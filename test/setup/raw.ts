import { UNGUARDED } from '../../src/features/authors/core/testSession';
import { eventChannel, type McpHost, type OpenRequests, type RequestsOf } from '../../src/host';

/** The hosts of this process whose requests tests may open: whoever makes one says so. */
const hosts: WeakRef<McpHost>[] = [];

/** Lets tests open the requests of a host. @returns it */
export function opened(host: McpHost): McpHost {
  hosts.unshift(new WeakRef(host)); // the newest is asked first
  return host;
}

/** The requests to a server without the policy through which all features make theirs: for tests of what is below it. */
export const raw: OpenRequests = server => {
  for (const host of hosts) {
    try {
      return host.deref()!.requests(server);
    } catch {
      // It belongs to another.
    }
  }
  throw new Error(`No host was opened for ${server.name}.`);
};

/** The same in the form in which features get theirs. */
export const allowedBy =
  (open: OpenRequests): RequestsOf =>
  server => ({
    ...UNGUARDED.doors(open).requests(server),
    permitted: async () => {},
    followEvents: async (name, args) => eventChannel(open(server), name, args),
    forward: ({ method, params }, action, result, options) =>
      open(server).request(action, (client, given) => client.request({ method, params }, result, given), options),
  });
export const unasked = allowedBy(raw);

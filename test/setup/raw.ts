import type { AllowedRequests, ServerConnection } from '../../src/host';
import { ServerRequests } from '../../src/host/connection/requests';

/** The requests to a server without the policy through which all features make theirs: for tests of what is below it. */
export const raw = ServerRequests.of;

/** The same in the form in which features get theirs. */
export const unasked = (server: ServerConnection): AllowedRequests => ({
  readResource: (...wanted) => raw(server).readResource(...wanted),
  getPrompt: (...wanted) => raw(server).getPrompt(...wanted),
  complete: (...wanted) => raw(server).complete(...wanted),
  forward: (request, action, result, options) =>
    raw(server).request(action, (client, given) => client.request({ ...request }, result, given), options),
});

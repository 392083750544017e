import type { AllowedRequests, ServerConnection, ServerRequests } from '../../src/host';

/** The requests to a server without the policy through which all features make theirs: for tests of what is below it. */
export const raw = (server: ServerConnection) => server as unknown as ReturnType<typeof ServerRequests.of>;

/** The same in the form in which features get theirs. */
export const unasked = (server: ServerConnection): AllowedRequests => ({
  readResource: (...wanted) => raw(server).readResource(...wanted),
  getPrompt: (...wanted) => raw(server).getPrompt(...wanted),
  complete: (...wanted) => raw(server).complete(...wanted),
  forward: (request, action, result, options) =>
    raw(server).request(action, (client, given) => client.request({ ...request }, result, given), options),
});

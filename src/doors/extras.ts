/**
 * Features that only some windows need: view rows, profiles, sandboxes, fetched packages, and the policies of calls and
 * requests.
 */
export { Profiles } from '../features/profiles/profiles';
export { ConfinedServers } from '../features/sandbox/confinedServers';
export { ServersTree } from '../features/servers/serversTree';
export * from '../features/supply/supply';
export { Requests } from '../features/trust/core/requestPolicy';
export { ToolCalls } from '../features/trust/core/toolCalls';
export { dataFlow } from '../features/trust/dataFlow';

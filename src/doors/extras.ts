/** What some windows need: rows in the view, profiles, a sandbox, packages that are fetched, marks of data with the first call. */
export { Profiles } from '../features/profiles/profiles';
export { ConfinedServers } from '../features/sandbox/confinedServers';
export { ServersTree } from '../features/servers/serversTree';
export * from '../features/supply/supply';
export { dataFlow } from '../features/trust/dataFlow';

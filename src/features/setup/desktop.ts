/** What web windows lack, because they run no programs and read no files: `src/web` has an empty one of each. */
export { BundleSetup } from './bundleSetup';
export { findServers, importHosts, places } from './core/findServers';
export { newServer } from './newServer';
export { shareServers } from './shareServers';
export const RUNS_PROGRAMS = true;

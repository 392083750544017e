import { lazy } from './lazy';

/*
 * The doors to the bundles that are loaded after activation. `esbuild.js` has the same doors in a table: each `require` here
 * becomes one of a file of its own. In web windows everything is one file, and a door only evaluates what is behind it.
 */

/** The host core with the SDK and zod. */
export type HostModule = typeof import('./host/index');

export const loadHost = lazy(() => require('./host/index') as HostModule);

/** What serves the window's servers: with the first of them. */
export const loadServers = lazy(() => require('./startServers') as typeof import('./startServers'));

/** What a person does with servers: with the first command, question to `@mcp`, row or quick fix. */
export const loadFeatures = lazy(() => require('./startFeatures') as typeof import('./startFeatures'));

/** What adds, imports and exports servers. */
export const loadSetup = lazy(() => require('./editor/setup/setup') as typeof import('./editor/setup/setup'));

/** The gateway for the editor's own chat, with the SDK's server package: when the editor asks and a server is ready. */
export const loadNativeChat = lazy(
  () => require('./editor/nativeChat/nativeChat') as typeof import('./editor/nativeChat/nativeChat'),
);

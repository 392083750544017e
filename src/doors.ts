import { lazy } from './base/lazy';

/*
 * Doors to bundles that are loaded after activation. `esbuild.js` has all doors in a table: each `require` of such a module
 * becomes one of a file of its own. In web windows everything is one file, and a door only evaluates what is behind it.
 */

/** What the window's servers need; loaded with the first of them. */
export const loadServers = lazy(() => require('./startServers') as typeof import('./startServers'));

/** What people do with servers; loaded with the first command, question to `@mcp`, row or quick fix. */
export const loadFeatures = lazy(() => require('./startFeatures') as typeof import('./startFeatures'));

/** What shows apps of servers; loaded with the first. */
export const loadApps = lazy(() => require('./features/apps/apps') as typeof import('./features/apps/apps'));

/** Skills of servers; loaded with the first server that serves any. */
export const loadSkills = lazy(() => require('./features/skills/skills') as typeof import('./features/skills/skills'));

/** What adds, imports and exports servers. */
export const loadSetup = lazy(() => require('./features/setup/setup') as typeof import('./features/setup/setup'));

/** The pages of tools. */
export const loadToolPages = lazy(
  () => require('./features/tools/page/toolPages') as typeof import('./features/tools/page/toolPages'),
);

/** The tests of servers in the Test Explorer; loaded when the workspace has any. */
export const loadTestExplorer = lazy(
  () => require('./features/authors/testExplorer') as typeof import('./features/authors/testExplorer'),
);

/** The engine that runs tests of servers. */
export const loadTestEngine = lazy(
  () => require('./features/authors/core/engine') as typeof import('./features/authors/core/engine'),
);

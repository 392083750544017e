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

/** Profiles; loaded with the first in settings. */
export const loadProfiles = lazy(
  () => require('./features/profiles/profiles') as typeof import('./features/profiles/profiles'),
);

/** What adds, imports and exports servers. */
export const loadSetup = lazy(() => require('./features/setup/setup') as typeof import('./features/setup/setup'));

/** What knows of packages that servers fetch; loaded with the first of them that is looked at. */
export const loadSupply = lazy(() => require('./features/supply/supply') as typeof import('./features/supply/supply'));

/** What knows of data that models read and send; loaded with the first call. */
export const loadFlow = lazy(() => require('./features/trust/dataFlow') as typeof import('./features/trust/dataFlow'));

/** The pages of tools, prompts and resource templates. */
export const loadItemPages = lazy(
  () => require('./features/tools/page/itemPages') as typeof import('./features/tools/page/itemPages'),
);

/** What offers the servers to the editor's own chat and to agents; loaded when one of them wants any. */
export const loadGateway = lazy(() => require('./startGateway') as typeof import('./startGateway'));

/** What confined servers were refused; loaded with the first of them. */
export const loadConfined = lazy(
  () => require('./features/sandbox/confinedServers') as typeof import('./features/sandbox/confinedServers'),
);

/** Tests of servers in the editor; loaded when the workspace has any, or one is made. */
export const loadAuthors = lazy(
  () => require('./features/authors/authors') as typeof import('./features/authors/authors'),
);

/** What restarts servers whose files change, and runs the conformance suite; loaded with the first that is to be. */
export const loadDev = lazy(() => require('./features/dev/devServers') as typeof import('./features/dev/devServers'));

/** The engine that runs tests of servers. */
export const loadTestEngine = lazy(
  () => require('./features/authors/core/engine') as typeof import('./features/authors/core/engine'),
);

/** What compares the choices of models among tools; loaded when a person first does that. */
export const loadEvals = lazy(() => require('./features/evals/evals') as typeof import('./features/evals/evals'));

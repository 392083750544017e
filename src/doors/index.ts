import { lazy } from '../base/lazy';

/*
 * Doors to what is loaded after activation. Each `require` here leads to a program of its own in dist/ (the table in
 * `esbuild.js`); what several of them need is in chunks that they share. In web windows everything is one file, and a door only
 * evaluates what is behind it.
 */

/** What the window's servers need; loaded with the first of them. */
export const loadServers = lazy(() => require('../startServers') as typeof import('../startServers'));

/** What people do with servers; loaded with the first command, question to `@mcp`, row or quick fix. */
export const loadFeatures = lazy(() => require('../startFeatures') as typeof import('../startFeatures'));

/** What only some servers need; loaded with the first that does. */
export const loadExtras = lazy(() => require('./extras') as typeof import('./extras'));

/** The pages of tools, prompts and resource templates, and apps of servers; loaded with the first of these. */
export const loadPages = lazy(() => require('./pages') as typeof import('./pages'));

/** Skills of servers; loaded with the first server that serves any. */
export const loadSkills = lazy(
  () => require('../features/skills/skills') as typeof import('../features/skills/skills'),
);

/** What adds, imports and exports servers. */
export const loadSetup = lazy(() => require('../features/setup/setup') as typeof import('../features/setup/setup'));

/** What offers the servers to the editor's own chat and to agents; loaded when one of them wants any. */
export const loadGateway = lazy(() => require('./serving') as typeof import('./serving'));

/** What is for those who write servers; loaded with the first test file, or when it is first used. */
export const loadAuthors = lazy(() => require('./authors') as typeof import('./authors'));

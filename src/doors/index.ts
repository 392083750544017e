import { lazy } from '../base/events';

/*
 * Doors to what is loaded after activation. Each `require` here leads to a program of its own in dist/ (the table in
 * `esbuild.js`); what several of them need is in chunks that they share. In web windows everything is one file, and a door only
 * evaluates what is behind it.
 */

/** Everything that servers need; loaded with the first server. */
export const loadServers = lazy(() => require('../startServers') as typeof import('../startServers'));

/** Everything that people do with servers; loaded with the first command, question to `@mcp`, row or quick fix. */
export const loadFeatures = lazy(() => require('../startFeatures') as typeof import('../startFeatures'));

/** What only some servers and resources need; loaded with the first of those. */
export const loadExtras = lazy(() => require('./extras') as typeof import('./extras'));

/** The pages of tools, prompts, resource templates and servers' forms, and apps of servers; loaded with the first of these. */
export const loadPages = lazy(() => require('./pages') as typeof import('./pages'));

/** Skills of servers; loaded with the first server that serves any. */
export const loadSkills = lazy(
  () => require('../features/skills/skills') as typeof import('../features/skills/skills'),
);

export const loadSetup = lazy(() => require('../features/setup/setup') as typeof import('../features/setup/setup'));

/** Offers the servers to the editor's own chat and to agents; loaded when one of them needs a server. */
export const loadGateway = lazy(() => require('./serving') as typeof import('./serving'));

/** Features for server authors; loaded with the first test file, or on first use. */
export const loadAuthors = lazy(() => require('./authors') as typeof import('./authors'));

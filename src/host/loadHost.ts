import { lazy } from '../base/lazy';

/** Loads the host core with the SDK and zod, from its own bundle (esbuild.js). */
export type HostModule = typeof import('./program');

export const loadHost = lazy(() => require('./program') as HostModule);

import { lazy } from '../base/lazy';

/** The host core with the SDK and zod: a bundle of its own (esbuild.js). */
export type HostModule = typeof import('./index');

export const loadHost = lazy(() => require('./index') as HostModule);

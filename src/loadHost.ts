import { enableCompileCache } from 'node:module';

/** The host core with the SDK and zod: a bundle of its own, see esbuild.js. */
export type HostModule = typeof import('./host/index');

/**
 * Loads the host bundle on first use. Code compiled once is kept in `cacheFolder`, which takes about a third off the
 * load in every later window.
 */
export function hostLoader(cacheFolder: string): () => HostModule {
  let host: HostModule | undefined;
  return () => {
    if (!host) {
      enableCompileCache?.(cacheFolder);
      host = require('./host/index') as HostModule;
    }
    return host;
  };
}

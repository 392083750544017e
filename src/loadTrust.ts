import type * as vscode from 'vscode';
import type { ServerSet } from './editor/servers/serverSet';
import type { Trust } from './editor/trust/trust';
import type { WatchCall } from './host/runningCalls';
import type { HostModule } from './loadHost';

/** Loads what a person allows, a bundle of its own (esbuild.js), with the first server that is configured. */
export interface TrustLoader {
  (): Trust;
  /** Undefined while nothing needed it. */
  readonly loaded: Trust | undefined;
}

export function trustLoader(
  servers: () => ServerSet,
  context: vscode.ExtensionContext,
  loadHost: () => HostModule,
  watchCall: WatchCall,
): TrustLoader {
  let loaded: Trust | undefined;
  const load = () => {
    if (!loaded) {
      const { Trust } = require('./editor/trust/trust') as typeof import('./editor/trust/trust');
      loaded = new Trust(servers(), context, loadHost, watchCall);
      context.subscriptions.push(loaded);
    }
    return loaded;
  };
  return Object.defineProperty(load, 'loaded', { get: () => loaded }) as TrustLoader;
}

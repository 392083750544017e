import type * as vscode from 'vscode';
import { ServerMemory } from './editor/serverMemory';
import type { ServerNotices } from './editor/serverNotices';
import type { RowMarks } from './editor/servers/rowMarks';
import type { ServerSet } from './editor/servers/serverSet';
import type { Trust } from './editor/trust/trust';
import type { ServerId } from './host';
import { Emitter } from './host/events';
import type { WatchCall } from './host/runningCalls';
import type { HostModule } from './loadHost';

/** Loads what a person allows, a bundle of its own (esbuild.js), with the first server that is configured. */
export interface TrustLoader {
  (): Trust;
  /** Undefined while nothing needed it. */
  readonly loaded: Trust | undefined;
  /** None until it is loaded. */
  readonly marks: RowMarks;
}

export function trustLoader(
  servers: () => ServerSet,
  context: vscode.ExtensionContext,
  loadHost: () => HostModule,
  notices: ServerNotices,
  watchCall: WatchCall,
): TrustLoader {
  let loaded: Trust | undefined;
  const changed = new Emitter<ServerId | undefined>();
  const marks: RowMarks = {
    onDidChange: changed.event,
    of: (server, node) => loaded?.marks.of(server, node),
    instructions: server => loaded?.marks.instructions(server),
    changes: server => loaded?.marks.changes(server) ?? 0,
  };
  const load = () => {
    if (!loaded) {
      const { Trust } = require('./editor/trust/trust') as typeof import('./editor/trust/trust');
      loaded = new Trust(servers(), context, loadHost, notices, ServerMemory, watchCall);
      context.subscriptions.push(
        loaded,
        loaded.onDidChangeMarks(id => changed.fire(id)),
      );
    }
    return loaded;
  };
  return Object.defineProperties(load, {
    loaded: { get: () => loaded },
    marks: { value: marks },
  }) as TrustLoader;
}

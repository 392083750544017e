import vscode = require('vscode');

import { lazy } from './base/lazy';
import { loadAuthors } from './doors';
import { canTest } from './features/authors';
import type { TestExplorer } from './features/authors/testExplorer';
import { CheckServer } from './features/lint/checkServer';
import { saveMockServer } from './features/mock/saveMockServer';
import { serverOf } from './features/servers/serverCommands';
import { requestOfCall } from './features/tools/callText';
import type { ToolResults } from './features/tools/resultDocument';
import type { ServerConnection } from './host';
import type { ServerSet } from './host/serverSet';
import type { Started } from './startServers';

interface Authoring {
  readonly context: Pick<vscode.ExtensionContext, 'subscriptions' | 'workspaceState'>;
  readonly servers: ServerSet;
  readonly started: Pick<ReturnType<Started>, 'trust' | 'files' | 'diagnostics' | 'dev' | 'ports'>;
  readonly results: ToolResults;
  /** Made when it is first asked for. */
  readonly tests: () => TestExplorer;
}

/** What is for those who write servers, besides what the test explorer runs: checks, recorded tests, snapshots, mock servers. */
export function startAuthoring({ context, servers, started, results, tests }: Authoring) {
  const { trust, files, diagnostics } = started;
  const snapshots = lazy(() => {
    const made = new (loadAuthors().Snapshots)(context.workspaceState);
    context.subscriptions.push(made);
    return made;
  });
  const record = lazy(() => {
    const { RecordTest } = loadAuthors();
    return new RecordTest({ servers, files: () => tests().known() });
  });
  const checks = new CheckServer({
    servers,
    files,
    calls: () => trust.calls,
    requests: () => trust.requests,
    refresh: () => diagnostics.refresh(),
    ...(canTest && { conformance: server => loadAuthors().checkConformance(server, started.ports) }),
  });
  return {
    /** What the last check of a server has found. */
    findings: (server: ServerConnection) => checks.problems(server),
    commands: {
      checkServer: (argument?: unknown) => checks.run(argument),
      compareDescriptions: async (argument?: unknown) => {
        const server = serverOf(argument);
        if (server) await loadAuthors().compareDescriptions(snapshots(), server);
      },
      compareSnapshot: async (argument?: unknown) => {
        const server = serverOf(argument);
        if (server) await snapshots().compare(server);
      },
      debugServer: async (argument?: unknown) => {
        const server = serverOf(argument);
        if (server) await started.dev().debug(server);
      },
      recordTest: (argument?: unknown) =>
        record().run(argument instanceof vscode.Uri ? requestOfCall(results.callOf(argument)) : argument),
      saveMockServer: (argument?: unknown) => saveMockServer(servers, argument),
      saveSnapshot: async (argument?: unknown) => {
        const server = serverOf(argument);
        if (server) await snapshots().save(server);
      },
    },
  };
}

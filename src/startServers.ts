import * as vscode from 'vscode';
import { Auth } from './editor/auth/auth';
import type { Configuration } from './editor/configuration';
import type { Elicitation } from './editor/elicitation/elicitation';
import { elicitationPort } from './editor/elicitation/elicitationPort';
import { ServerLogs } from './editor/logging/serverLogs';
import { LiveResources } from './editor/resources/liveResources';
import type { Resources } from './editor/resources/resources';
import { Sampling } from './editor/sampling/sampling';
import { ServerMemory } from './editor/serverMemory';
import { ServerNotices } from './editor/serverNotices';
import { Details } from './editor/servers/details';
import { GiveUpNotice } from './editor/servers/giveUpNotice';
import type { Servers } from './editor/servers/servers';
import { ShellPath } from './editor/servers/shellPath';
import { ServerStatusBar } from './editor/servers/statusBar';
import { ServersTree } from './editor/servers/tree';
import { SettingsDiagnostics } from './editor/settings/diagnostics';
import { SettingsFiles } from './editor/settings/settingsFiles';
import { Trust } from './editor/trust/trust';
import type { HostPorts, McpHost } from './host';
import { loadHost } from './host/loadHost';
import type { Lazy } from './lazy';

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/** What lives as long as the window, with servers or without. */
export interface ServersWindow {
  readonly context: vscode.ExtensionContext;
  readonly configuration: Configuration;
  readonly servers: Servers;
  readonly resources: Resources;
  /** Asks the person for servers; loaded with the first question. */
  readonly elicitation: () => Elicitation;
}

/** What serves the window's servers. */
export interface StartedServers {
  readonly host: McpHost;
  /** What the host needs of the editor. */
  readonly ports: HostPorts;
  readonly trust: Trust;
  readonly logs: ServerLogs;
  readonly details: Details;
  readonly sampling: Sampling;
  readonly auth: Auth;
  readonly live: LiveResources;
  readonly files: SettingsFiles;
  readonly diagnostics: SettingsDiagnostics;
  readonly tree: ServersTree;
}

export type Started = Lazy<StartedServers>;

/** Makes, in order, all that serves servers, and the host that runs them. The entry of a bundle of its own (`doors.ts`). */
export function startServers({
  context,
  configuration,
  servers,
  resources,
  elicitation,
}: ServersWindow): StartedServers {
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const { McpHost, loginShellPath, readBounded } = loadHost();
  const logs = own(new ServerLogs());
  const notices = new ServerNotices(logs);
  const details = own(new Details(servers, context.workspaceState));
  const trust = own(new Trust(servers, context, loadHost, notices, details.calls.watch));
  const sampling = own(new Sampling({ servers, trust: () => trust, context }));
  const auth = own(new Auth(servers, context));
  const shellPath = new ShellPath(context.globalState, () => loginShellPath);
  const ports: HostPorts = {
    log: logs,
    roots: details.roots,
    sampling,
    elicitation: elicitationPort(elicitation),
    memory: new ServerMemory(vscode.Uri.joinPath(context.globalStorageUri, 'memory').fsPath),
    auth,
    launch: {
      admit: async definition => {
        await sampling.models.ready();
        return trust.admit(definition);
      },
    },
    shellPath: () => shellPath.get(),
    readFile: path => readBounded(path, MAX_ENV_FILE_BYTES),
  };
  const host = new McpHost(
    { name: 'mcp-host', title: 'MCP Host', version: context.extension.packageJSON.version },
    ports,
    {
      pingIntervalMs: () => configuration.pingIntervalMs,
      start: () => configuration.start,
      maxMessageBytes: () => configuration.maxMessageBytes,
      requestsInFlight: () => configuration.requestsInFlight,
      replaySafeCalls: () => configuration.replaySafeCalls,
      trace: () => configuration.trace,
    },
  );
  servers.adopt(host);

  const files = new SettingsFiles();
  const diagnostics = own(new SettingsDiagnostics(files, servers));
  own(new ServerStatusBar(servers));
  own(new GiveUpNotice(servers, notices));
  const live = own(new LiveResources({ servers, resources, notices, state: context.workspaceState }));
  const tree = own(new ServersTree(servers, details, trust.marks));
  const resolved = servers.onDidResolve(({ definitions, problems }) => {
    logs.keep(new Set(definitions.map(({ id }) => id)));
    void diagnostics.update(problems);
    void sampling.models.resolve();
  });
  own(resolved);
  return { host, ports, trust, logs, details, sampling, auth, live, files, diagnostics, tree };
}

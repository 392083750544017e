import * as vscode from 'vscode';
import type { Auth } from './editor/auth/auth';
import { registerCommands } from './editor/commands';
import { Configuration } from './editor/configuration';
import { elicitationPort } from './editor/elicitation/elicitationPort';
import { Resources } from './editor/resources/resources';
import { ServerMemory } from './editor/serverMemory';
import { ServerNotices } from './editor/serverNotices';
import { serverCommands } from './editor/servers/commands';
import { GiveUpNotice } from './editor/servers/giveUpNotice';
import { Servers } from './editor/servers/servers';
import { ShellPath } from './editor/servers/shellPath';
import { ServerStatusBar } from './editor/servers/statusBar';
import { ServersTree } from './editor/servers/tree';
import { SettingsDiagnostics } from './editor/settings/diagnostics';
import { SettingsFiles } from './editor/settings/settingsFiles';
import type { Trust } from './editor/trust/trust';
import type { ServerDefinition } from './host';
import { authLoader } from './loadAuth';
import { DetailsLoader } from './loadDetails';
import { registerFixes } from './loadFixes';
import { hostLoader } from './loadHost';
import { elicitationLoader, loadResourcesTree, registerInteraction } from './loadInteraction';
import { loadLocate } from './loadLocate';
import { LogsLoader } from './loadLogs';
import { NativeChatLoader } from './loadNativeChat';
import { SamplingLoader } from './loadSampling';
import { setupCommands } from './loadSetup';
import { traceCommands } from './loadTrace';
import { trustLoader } from './loadTrust';

let close: (() => Promise<unknown>) | undefined;

/** What tests that run in the extension host may look at. */
export interface TestApi {
  readonly servers: Servers;
  readonly tree: ServersTree;
  /** Where the extension writes: tests look there for what must not be written. */
  readonly context: vscode.ExtensionContext;
  trust(): Trust;
  auth(): Auth;
}

/** Wires the features to the window's servers. Nothing of the protocol is loaded before a server is configured. */
export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const loadHost = hostLoader(vscode.Uri.joinPath(context.globalStorageUri, 'compile-cache').fsPath);
  const configuration = new Configuration(vscode.Uri.joinPath(context.globalStorageUri, 'empty').fsPath);
  const logs = new LogsLoader();
  const shellPath = new ShellPath(context.globalState, () => loadHost().loginShellPath);
  const details = new DetailsLoader(() => all, context.workspaceState);
  const notices = new ServerNotices(logs);
  const trust = trustLoader(() => all, context, loadHost, notices, details.watchCall);
  const sampling = new SamplingLoader(context, () => ({ servers: all, trust }));
  const { auth, port: authPort, commands: authCommands } = authLoader(() => all, context);
  const ports = {
    log: logs,
    roots: details,
    sampling,
    elicitation: elicitationPort(
      elicitationLoader(() => ({
        context,
        servers: all,
        log: logs,
        audit: () => trust().audit,
        schemaProblem: (...check) => loadHost().schemaProblem(...check),
      })),
    ),
    memory: new ServerMemory(vscode.Uri.joinPath(context.globalStorageUri, 'memory').fsPath),
    auth: authPort,
    launch: {
      admit: async (definition: ServerDefinition) => {
        await sampling.ready();
        return trust().admit(definition);
      },
    },
    shellPath: () => shellPath.get(),
    readFile: (path: string) => loadHost().readBounded(path, 1024 * 1024),
  };
  const all: Servers = new Servers(configuration, ports, context.extension.packageJSON.version, loadHost);
  const files = new SettingsFiles(loadLocate);
  const diagnostics = new SettingsDiagnostics(files, all);
  const nativeChat = new NativeChatLoader(all, trust);
  close = async () => {
    await Promise.all([all.close(), nativeChat.close()]);
    await trust.loaded?.flush();
  };
  const tree = new ServersTree(all, details, trust.marks);
  const resources = new Resources(all, notices, context.workspaceState, loadResourcesTree);
  context.subscriptions.push(
    all,
    details,
    configuration,
    logs,
    diagnostics,
    registerFixes(diagnostics, all),
    all.onDidChange(change => details.onServer(change?.server)),
    all.onDidResolve(({ definitions, problems }) => {
      if (definitions.length > 0) trust();
      logs.keep(new Set(definitions.map(({ id }) => id)));
      void diagnostics.update(problems);
      void sampling.resolveModels();
    }),
    tree,
    vscode.window.createTreeView('mcpHost.servers', { treeDataProvider: tree, showCollapseAll: true }),
    new ServerStatusBar(all),
    new GiveUpNotice(all, notices),
    resources,
    nativeChat,
    sampling,
    registerCommands(
      context.extension,
      {
        ...serverCommands(all, logs, files),
        ...resources.commands,
        ...details.commands,
        ...logs.commands,
        ...sampling.commands,
        ...authCommands,
        ...setupCommands(context, {
          trust,
          host: loadHost,
          configuration,
          files,
          ports,
          version: context.extension.packageJSON.version,
        }),
        ...traceCommands(() => ({ servers: all, trust, host: loadHost }), context),
      },
      registerInteraction({ servers: all, trust, host: loadHost, configuration, files, context, resources }),
    ),
  );
  // Not within activation: reading settings may load the host and start servers.
  setImmediate(() => all.load());
  return context.extensionMode === vscode.ExtensionMode.Test ? { servers: all, tree, context, trust, auth } : undefined;
}

/** The editor waits a few seconds for this: no server outlives its window. */
export function deactivate(): Promise<unknown> | undefined {
  return close?.();
}

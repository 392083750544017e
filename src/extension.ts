import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { registerCommands } from './editor/commands';
import { Configuration } from './editor/configuration';
import { InputsNotice } from './editor/inputs/inputsNotice';
import { InputValues } from './editor/inputs/inputValues';
import { ServerLogs } from './editor/logging/serverLogs';
import { Resources } from './editor/resources/resources';
import { WorkspaceRoots } from './editor/roots/workspaceRoots';
import { ServerMemory } from './editor/serverMemory';
import { serverCommands } from './editor/servers/commands';
import { GiveUpNotice } from './editor/servers/giveUpNotice';
import { Servers } from './editor/servers/servers';
import { ShellPath } from './editor/servers/shellPath';
import { ServerStatusBar } from './editor/servers/statusBar';
import { ServersTree } from './editor/servers/tree';
import { SettingsDiagnostics } from './editor/settings/diagnostics';
import { SecretFixes } from './editor/settings/secretFixes';
import { SettingsFiles } from './editor/settings/settingsFiles';
import { LaunchGate } from './editor/trust/launchGate';
import { Trust } from './editor/trust/trust';
import { hostLoader } from './loadHost';
import { loadResourcesTree, registerInteraction, resolveModels } from './loadInteraction';

let close: (() => Promise<unknown>) | undefined;

/** What tests that run in the extension host may look at. */
export interface TestApi {
  readonly servers: Servers;
  readonly tree: ServersTree;
  /** Where the extension writes: tests look there for what must not be written. */
  readonly context: vscode.ExtensionContext;
}

/** Wires the features to the window's servers. Nothing of the protocol is loaded before a server is configured. */
export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const loadHost = hostLoader(vscode.Uri.joinPath(context.globalStorageUri, 'compile-cache').fsPath);
  const configuration = new Configuration();
  const logs = new ServerLogs();
  const shellPath = new ShellPath(context.globalState, () => loadHost().loginShellPath);
  const inputs = new InputValues(context.secrets, context.globalState, loadHost);
  const ports = {
    log: logs,
    roots: new WorkspaceRoots(),
    memory: new ServerMemory(vscode.Uri.joinPath(context.globalStorageUri, 'memory').fsPath),
    launch: new LaunchGate([inputs]),
    shellPath: () => shellPath.get(),
    readFile: (path: string) => readFile(path, 'utf8'),
  };
  const all = new Servers(configuration, ports, context.extension.packageJSON.version, loadHost);
  const files = new SettingsFiles(() => loadHost().locate);
  const diagnostics = new SettingsDiagnostics(files);
  const trust = new Trust(all, context);
  close = async () => {
    await all.close();
    await trust.flush();
  };
  const tree = new ServersTree(all);
  const resources = new Resources(all, context.workspaceState, loadResourcesTree);
  context.subscriptions.push(
    all,
    trust,
    configuration,
    logs,
    diagnostics,
    new SecretFixes(diagnostics),
    new InputsNotice(all),
    all.onDidResolve(({ definitions, problems }) => {
      logs.keep(new Set(definitions.map(({ id }) => id)));
      void diagnostics.update(problems);
      void resolveModels();
    }),
    tree,
    vscode.window.createTreeView('mcpHost.servers', { treeDataProvider: tree, showCollapseAll: true }),
    new ServerStatusBar(all),
    new GiveUpNotice(all),
    resources,
    registerCommands({
      ...serverCommands(all, logs, files, context.extensionPath),
      ...resources.commands,
      ...registerInteraction({ servers: all, trust, host: loadHost, context, inputs, resources }),
    }),
  );
  // Not within activation: reading settings may load the host and start servers.
  setImmediate(() => all.load());
  return context.extensionMode === vscode.ExtensionMode.Test ? { servers: all, tree, context } : undefined;
}

/** The editor waits a few seconds for this: no server outlives its window. */
export function deactivate(): Promise<unknown> | undefined {
  return close?.();
}

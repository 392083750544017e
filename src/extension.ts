import { enableCompileCache } from 'node:module';
import type { McpHostExports } from '../docs/api';

import vscode = require('vscode');

import { type Lazy, lazy } from './base/lazy';
import { loadAuthors, loadFeatures, loadGateway, loadServers } from './doors';
import { LazyTree } from './editor/lazyTree';
import type { ServerNode } from './editor/servers/serverNodes';
import { registerEntryPoints } from './entryPoints';
import { AgentSharing } from './features/agents/sharing';
import type { Auth } from './features/auth/auth';
import type { TestExplorer } from './features/authors/testExplorer';
import { whenQuestionsAreOpen, whenTestsAreFound } from './features/authors/testFiles';
import type { Clients } from './features/clients';
import { NativeChatProvider } from './features/nativeChat/provider';
import type { OfferedTools, Profiles } from './features/profiles';
import { Resources } from './features/resources/resources';
import { Servers } from './features/servers/servers';
import type { SettingsFiles } from './features/settings';
import { Configuration } from './features/settings/configuration';
import { serverDrop } from './features/setup/serverDrop';
import type { Trust } from './features/trust/trust';
import type { RunningCalls } from './host';
import { isNodeTooOld, tellOldNode } from './oldNode';
import type { Features } from './startFeatures';
import type { ServersWindow, Started } from './startServers';

let close: (() => Promise<unknown>) | undefined;

/** What tests in the extension host may look at. */
export interface TestApi extends McpHostExports {
  readonly servers: Servers;
  readonly tree: LazyTree<ServerNode>;
  /** Where the extension writes: tests look there for what must not be written. */
  readonly context: vscode.ExtensionContext;
  trust(): Trust;
  auth(): Auth;
  calls(): Omit<RunningCalls, 'make'>;
  profiles(): Profiles;
  offered(): OfferedTools;
  files(): SettingsFiles;
  clients(): Clients;
  tests(): TestExplorer;
}

/**
 * Registers what every window shows. What servers need is started with the first one configured (`startServers`); what
 * people do with them is loaded when they first do something (`startFeatures`).
 */
export function activate(context: vscode.ExtensionContext): TestApi | McpHostExports | undefined {
  if (isNodeTooOld()) {
    tellOldNode(context);
    return undefined;
  }
  const configuration = new Configuration(vscode.Uri.joinPath(context.globalStorageUri, 'empty').fsPath);
  const servers = new Servers(configuration, () => started());
  const resources = new Resources(servers, () => (started.loaded ? features().resourceRows() : undefined));
  const started: Started = lazy(() => {
    // Keeps compiled code, which saves later windows about a third of the loading time.
    enableCompileCache?.(vscode.Uri.joinPath(context.globalStorageUri, 'compile-cache').fsPath);
    const questions = () => features().questions;
    const toolTokens: ServersWindow['toolTokens'] = server => features().toolTokens(server);
    const notes: ServersWindow['notes'] = server => features().notes(server);
    return loadServers().startServers({
      context,
      configuration,
      servers,
      resources,
      questions,
      toolTokens,
      notes,
      findings: server => features.loaded?.findings(server) ?? [],
    });
  });
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const tests: Lazy<TestExplorer> = lazy(() => own(new (loadAuthors().TestExplorer)(() => features().tests())));
  const features: Lazy<Features> = lazy(() =>
    loadFeatures().startFeatures({ context, configuration, servers, started, resources, tests }),
  );
  const tree = new LazyTree(() => started.loaded?.tree(), servers.onDidChange);
  const view = vscode.window.createTreeView('mcpHost.servers', {
    treeDataProvider: tree,
    showCollapseAll: true,
    dragAndDropController: serverDrop,
  });
  tree.drawAgainWhenOpened(view);
  const nativeChat = new NativeChatProvider(servers, loadGateway, started);
  const sharing = new AgentSharing(servers, () => {
    const { trust, offered, profiles: lazyProfiles } = started();
    const profiles = () => lazyProfiles.loaded;
    const clients = () => features().clients;
    return new (loadGateway().Agents)({ extension: context.extension, servers, trust, offered, profiles, clients });
  });
  close = async () => {
    await Promise.all([servers.close(), nativeChat.close(), sharing.close()]);
    await started.loaded?.trust.flush();
  };
  context.subscriptions.push(servers, configuration, tree, view, resources, nativeChat, sharing);
  const questionFiles = lazy(() => own(new (loadAuthors().QuestionFiles)()));
  context.subscriptions.push(whenTestsAreFound(tests), whenQuestionsAreOpen(questionFiles));
  registerEntryPoints(context, features, servers, () => started.loaded, view);
  // Not during activation: reading settings may start servers.
  setImmediate(() => servers.load());
  // Without `await` before: who calls is read from the stack.
  const exported: McpHostExports = { getApi: (...given) => features().extensionApi.getApi(...given) };
  if (context.extensionMode !== vscode.ExtensionMode.Test) return exported;
  return {
    ...exported,
    servers,
    tree,
    context,
    trust: () => started().trust,
    auth: () => started().auth,
    calls: () => started().details.calls,
    profiles: () => started().profiles(),
    offered: () => started().offered,
    files: () => started().files,
    clients: () => features().clients,
    tests,
  };
}

/** The editor waits a few seconds for this: no server outlives its window. */
export function deactivate(): Promise<unknown> | undefined {
  return close?.();
}

import { enableCompileCache } from 'node:module';

import vscode = require('vscode');

import { type Lazy, lazy } from './base/events';
import { writeNumbersIn } from './base/numberText';
import { loadAuthors, loadExtras, loadFeatures, loadGateway, loadServers } from './doors';
import { LazyTree } from './editor/lazyTree';
import type { ServerNode } from './editor/serverRows';
import { AgentSharing } from './features/agents/sharing';
import type { QuestionFiles } from './features/authors/questionFiles';
import type { TestExplorer } from './features/authors/testExplorer';
import { NativeChatProvider } from './features/nativeChat/provider';
import { Resources } from './features/resources/resources';
import { Servers } from './features/servers/servers';
import { Configuration } from './features/settings/configuration';
import { ProjectFiles } from './features/setup/projectFiles';
import { serverDrop } from './features/setup/serverDrop';
import type { Own } from './serversWindow';
import type { Features } from './startFeatures';
import type { StartedServers } from './startServers';

/**
 * The owner of everything in one window of the editor. What every window has is constructed here, in order; what servers need
 * is constructed with the first one configured (`startServers`), what people do with them when they first do something
 * (`startFeatures`): both are doors, so they come first.
 */
export class McpWindow {
  readonly own: Own = disposable => {
    this.context.subscriptions.push(disposable);
    return disposable;
  };
  readonly started: StartedServers = lazy(() => {
    // Keeps compiled code, which saves later windows about a third of the loading time.
    enableCompileCache?.(this.#storage('compile-cache'));
    const started = loadServers().startServers(this);
    this.own(started.trust.onDidReadRules(() => this.#sharing.apply()));
    return started;
  });
  readonly features: Lazy<Features> = lazy(() => loadFeatures().startFeatures(this));
  readonly tests: Lazy<TestExplorer> = lazy(() =>
    this.own(new (loadAuthors().TestExplorer)(() => this.features().tests())),
  );
  readonly questionFiles: Lazy<QuestionFiles> = lazy(() => this.own(new (loadAuthors().QuestionFiles)()));
  readonly configuration: Configuration;
  readonly servers: Servers;
  readonly resources: Resources;
  readonly tree: LazyTree<ServerNode>;
  readonly view: vscode.TreeView<ServerNode>;
  readonly #nativeChat: NativeChatProvider;
  readonly #sharing: AgentSharing;

  constructor(readonly context: vscode.ExtensionContext) {
    writeNumbersIn(vscode.env.language);
    const { own } = this;
    this.configuration = own(new Configuration(this.#storage('folders')));
    own(new ProjectFiles(files => this.configuration.useProjects(files)));
    this.servers = own(new Servers(this.configuration, this.started));
    this.resources = own(
      new Resources(
        this.servers,
        () => (this.started.loaded ? this.features().resourceRows() : undefined),
        loadExtras,
        context.workspaceState,
      ),
    );
    this.tree = own(new LazyTree(() => this.started.loaded?.tree(), this.servers.onDidChange));
    this.view = own(
      vscode.window.createTreeView<ServerNode>('mcpHost.servers', {
        treeDataProvider: this.tree,
        showCollapseAll: true,
        dragAndDropController: serverDrop,
      }),
    );
    this.tree.drawAgainWhenOpened(this.view);
    own(
      this.view.onDidExpandElement(({ element }) => {
        // A step of the walkthrough is done.
        if (element.type === 'server' && element.server.state.kind === 'ready')
          void vscode.commands.executeCommand('setContext', 'mcpHost.offersSeen', true);
      }),
    );
    this.#nativeChat = own(
      new NativeChatProvider(this.servers, loadGateway, this.started, {
        appPage: (...page) => this.features().appPage(...page),
        extension: context.extension,
        state: context.workspaceState,
        clients: () => this.features().clients,
      }),
    );
    this.#sharing = own(
      new AgentSharing(
        this.servers,
        () => {
          const { trust, offered, profiles: lazyProfiles } = this.started();
          const profiles = () => lazyProfiles.loaded;
          const clients = () => this.features().clients;
          const { servers } = this;
          const { extension } = context;
          return new (loadGateway().Agents)({ extension, servers, trust, offered, profiles, clients });
        },
        () => this.started.loaded?.trust.forbids('shareWithAgents') !== true,
      ),
    );
  }

  /** Ends all servers and what uses them; resolves when their processes are gone and the audit log is written. */
  async close(): Promise<void> {
    await Promise.all([this.servers.close(), this.#nativeChat.close(), this.#sharing.close()]);
    await this.started.loaded?.telemetry.loaded?.close();
    await this.started.loaded?.trust.flush();
  }

  #storage(folder: string): string {
    return vscode.Uri.joinPath(this.context.globalStorageUri, folder).fsPath;
  }
}

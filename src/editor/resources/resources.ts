import * as vscode from 'vscode';
import { DisposableStore } from '../../host/events';
import { LiveResourcesLoader } from '../../loadLiveResources';
import type { CommandHandlers } from '../commands';
import type { ServerNotices } from '../serverNotices';
import type { ServerSet } from '../servers/serverSet';
import { ResourceDrag } from './drag';
import { ResourceFileSystem } from './fileSystem';
import { HexView } from './hexView';
import { LazyTree } from './lazyTree';
import type { ResourceNode } from './nodes';
import { ResourceOrder } from './order';
import { ResourceReader } from './reader';
import { targetOf } from './target';
import { TemplateMemory } from './templates/templateMemory';
import type { ResourcesTree } from './tree';
import { HEX_SCHEME, RESOURCE_SCHEME } from './uri';

type ResourceCommand = 'removeRecentResource' | 'revealResource';

/** Resources (spec: server/resources) in the editor: the view, the read-only file system and the commands. */
export class Resources implements vscode.Disposable {
  readonly commands: Pick<CommandHandlers, ResourceCommand> & LiveResourcesLoader['commands'];
  readonly templateMemory: TemplateMemory;
  readonly order: ResourceOrder;
  readonly reader: ResourceReader;
  readonly editors: Pick<LiveResourcesLoader, 'reload'>;
  readonly #disposables = new DisposableStore();

  constructor(
    servers: ServerSet,
    notices: ServerNotices,
    workspaceState: vscode.Memento,
    loadTree: () => typeof ResourcesTree,
  ) {
    const own = <T extends vscode.Disposable>(disposable: T): T => this.#disposables.add(disposable);
    const reader = own(new ResourceReader(servers));
    const fileSystem = own(new ResourceFileSystem(reader));
    const hexView = own(new HexView(reader));
    const live = own(new LiveResourcesLoader({ servers, reader, fileSystem, hexView, notices, state: workspaceState }));
    const memory = own(new TemplateMemory(workspaceState));
    this.templateMemory = memory;
    const order = own(new ResourceOrder(workspaceState));
    this.order = order;
    const rows = own(new LazyTree(() => new (loadTree())(servers, { memory, order, watched: live })));
    this.reader = reader;
    this.editors = live;
    this.commands = {
      ...live.commands,
      removeRecentResource: argument => {
        const { server, template, resource } = argument as Extract<ResourceNode, { type: 'recent' }>;
        return memory.forget(server.id, template.uriTemplate, resource.uri);
      },
      revealResource: argument => {
        const { server, resource } = targetOf(servers, argument);
        const row = rows.tree.find(server, resource.uri);
        if (!row) throw new Error(vscode.l10n.t('"{0}" does not list this resource.', server.name));
        return view.reveal(row, { select: true, focus: true });
      },
    };
    const isReadonly = new vscode.MarkdownString(
      vscode.l10n.t('Resources of MCP servers are read-only. "Save a Copy…" keeps one.'),
    );
    own(
      vscode.workspace.registerFileSystemProvider(RESOURCE_SCHEME, fileSystem, { isCaseSensitive: true, isReadonly }),
    );
    own(vscode.workspace.registerTextDocumentContentProvider(HEX_SCHEME, hexView));
    const view = own(
      vscode.window.createTreeView('mcpHost.resources', {
        treeDataProvider: rows,
        showCollapseAll: true,
        dragAndDropController: new ResourceDrag(),
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { LazyTree } from '../../editor/lazyTree';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import { HEX_SCHEME, RESOURCE_SCHEME } from './core/resourceAddress';
import type { ResourceNode } from './core/resourceNodes';
import { ResourceReader } from './core/resourceReader';
import { ResourceDrag } from './drag';
import { ResourceFileSystem } from './fileSystem';
import { HexView } from './hexView';
import type { ResourcesTree } from './resourcesTree';

type Later = Pick<typeof import('./core/resourceContent'), 'contentOf' | 'listedSize'> &
  Pick<typeof import('./resourceUri'), 'resourceUri'>;

/** Resources (spec: server/resources) in so far as every window has them: the view and the read-only file system. */
export class Resources implements vscode.Disposable {
  readonly reader: ResourceReader;
  readonly fileSystem: ResourceFileSystem;
  readonly hexView: HexView;
  readonly view: vscode.TreeView<ResourceNode>;
  readonly #disposables = new DisposableStore();

  /**
   * @param rows of the view; undefined while there are none.
   * @param later loaded with the first resource that is looked at or dragged.
   */
  constructor(servers: ServerSet, rows: () => ResourcesTree | undefined, later: () => Later) {
    const own = <T extends vscode.Disposable>(disposable: T): T => this.#disposables.add(disposable);
    this.reader = own(new ResourceReader(servers, later));
    this.fileSystem = own(new ResourceFileSystem(this.reader));
    this.hexView = own(new HexView(this.reader));
    const isReadonly = new vscode.MarkdownString(
      t('Resources of MCP servers are read-only. To keep one, use "Save a Copy…".'),
    );
    own(
      vscode.workspace.registerFileSystemProvider(RESOURCE_SCHEME, this.fileSystem, {
        isCaseSensitive: true,
        isReadonly,
      }),
    );
    own(vscode.workspace.registerTextDocumentContentProvider(HEX_SCHEME, this.hexView));
    this.view = own(
      vscode.window.createTreeView('mcpHost.resources', {
        treeDataProvider: own(new LazyTree(rows, servers.onDidChange)),
        showCollapseAll: true,
        dragAndDropController: new ResourceDrag((...resource) => later().resourceUri(...resource)),
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

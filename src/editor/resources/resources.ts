import * as vscode from 'vscode';
import { DisposableStore } from '../../host/events';
import type { CommandHandlers } from '../commands';
import type { ServerSet } from '../servers/serverSet';
import { ResourceCommands } from './commands';
import { ResourceFileSystem } from './fileSystem';
import { HexView } from './hexView';
import { OpenEditors } from './openEditors';
import { ResourceReader } from './reader';
import { ResourcesTree } from './tree';
import { HEX_SCHEME, RESOURCE_SCHEME } from './uri';

/** Resources (spec: server/resources) in the editor: the view, the read-only file system and the commands. */
export class Resources implements vscode.Disposable {
  readonly commands: Pick<
    CommandHandlers,
    'copyResourceUri' | 'loadMoreResources' | 'openResource' | 'refreshResources' | 'saveResourceAs'
  >;
  readonly #disposables = new DisposableStore();

  constructor(servers: ServerSet) {
    const own = <T extends vscode.Disposable>(disposable: T): T => this.#disposables.add(disposable);
    const reader = own(new ResourceReader(servers));
    const fileSystem = own(new ResourceFileSystem(reader));
    const hexView = own(new HexView(reader));
    const editors = own(new OpenEditors(servers, reader, fileSystem, hexView));
    const tree = own(new ResourcesTree(servers));
    const commands = new ResourceCommands(servers, reader, editors);
    this.commands = {
      copyResourceUri: argument => commands.copyUri(argument),
      loadMoreResources: argument => commands.loadMore(argument),
      openResource: argument => commands.open(argument),
      refreshResources: argument => commands.refresh(argument),
      saveResourceAs: argument => commands.saveAs(argument),
    };
    const isReadonly = new vscode.MarkdownString();
    isReadonly.appendText(vscode.l10n.t('Resources of MCP servers are read-only. "Save a Copy…" keeps one.'));
    own(
      vscode.workspace.registerFileSystemProvider(RESOURCE_SCHEME, fileSystem, { isCaseSensitive: true, isReadonly }),
    );
    own(vscode.workspace.registerTextDocumentContentProvider(HEX_SCHEME, hexView));
    own(vscode.window.createTreeView('mcpHost.resources', { treeDataProvider: tree, showCollapseAll: true }));
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

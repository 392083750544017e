import vscode = require('vscode');

import { type Disposable, DisposableStore } from '../../base/events';
import type { ServerChange, ServerConnection, ServerSet } from '../../host';
import type { ResourceAddress } from './core/resourceAddress';
import { HEX_SCHEME } from './core/resourceAddress';
import type { ResourceReader } from './core/resourceReader';
import type { ResourceFileSystem } from './fileSystem';
import type { HexView } from './hexView';
import { type OpenResource, openResources } from './openResources';

/** Keeps editors on resources up to date. */
export class OpenEditors implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #ready = new WeakSet<ServerConnection>();

  constructor(
    servers: ServerSet,
    private readonly reader: ResourceReader,
    private readonly fileSystem: ResourceFileSystem,
    private readonly hexView: HexView,
  ) {
    this.#disposables.add(servers.onDidChange(change => this.#onChange(change)));
    this.#disposables.add(
      reader.onDidChangeContent(({ serverId, uri }) => {
        this.#tell(editorsOf({ serverId, uri }));
      }),
    );
  }

  /** Makes the editors on resources of this server read them again. */
  reload(server: ServerConnection): void {
    const open = openResources().filter(({ address }) => address.serverId === server.id);
    const failed = open.filter(({ address }) => this.reader.hasFailed(address));
    const filled = open.filter(({ address }) => this.reader.isKnown(address));
    // Editors that wait for the first start of the server need none of this: they fill by themselves.
    for (const { address } of [...failed, ...filled]) this.reader.outdate(address);
    this.#tell(filled);
    for (const { tab, uri } of failed) retry(tab, uri);
  }

  /** Makes the editors on a resource read it again: it has become readable, or is gone. */
  lookAgain(address: ResourceAddress): void {
    const open = editorsOf(address);
    this.#tell(open);
    if (!this.reader.hasFailed(address)) for (const { tab, uri } of open) retry(tab, uri);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Updates the editors of a server that is back. */
  #onChange(change: ServerChange | undefined): void {
    if (change?.what !== 'state') return;
    const { server } = change;
    if (server.state.kind !== 'ready') this.#ready.delete(server);
    else if (!this.#ready.has(server)) {
      this.#ready.add(server);
      this.reload(server);
    }
  }

  #tell(open: readonly OpenResource[]): void {
    const isHex = ({ uri }: OpenResource) => uri.scheme === HEX_SCHEME;
    this.fileSystem.tellChanged(open.filter(one => !isHex(one)).map(({ uri }) => uri));
    this.hexView.tellChanged(open.filter(isHex).map(({ uri }) => uri));
  }
}

function editorsOf({ serverId, uri }: ResourceAddress): OpenResource[] {
  return openResources().filter(({ address }) => address.serverId === serverId && address.uri === uri);
}

/**
 * Fills an editor that shows an error. It ignores changes of the file, so it is opened again. A background tab is filled by
 * the editor when it comes to the front.
 */
function retry({ isActive, isPreview, group }: vscode.Tab, uri: vscode.Uri): void {
  if (!isActive) return;
  const options = { viewColumn: group.viewColumn, preserveFocus: true, preview: isPreview };
  void vscode.commands.executeCommand('vscode.open', uri, options);
}

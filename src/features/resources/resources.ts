import { type Lazy, lazy, Owner } from '../../base/events';
import { errorText } from '../../editor/errorText';
import { LazyTree } from '../../editor/lazyTree';
import type { PlainState } from '../../editor/storage';
import { actedOnText, folderStat, VirtualFiles } from '../../editor/virtualFiles';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import {
  decodeAddress,
  HEX_SCHEME,
  parseResourceUri,
  RESOURCE_SCHEME,
  type ResourceAddress,
} from './core/resourceAddress';
import type { ResourceContent } from './core/resourceContent';
import type { ResourceReader } from './core/resourceReader';

import type { KnownServers } from './ownAddresses';
import type { ResourceNode } from './resourceItems';
import type { ResourcesTree } from './resourcesTree';
import type { resourceUri } from './resourceTarget';

import vscode = require('vscode');

/** What is loaded with the first resource that is looked at or dragged. */
type Later = Pick<typeof import('./core/resourceContent'), 'hexDump' | 'MAX_HEX_BYTES'> &
  Pick<typeof import('./core/resourceReader'), 'isNotFound' | 'ResourceReader'> &
  Pick<typeof import('../../editor/openedAs'), 'isActedOn' | 'nameToOpen'> &
  Pick<typeof import('./ownAddresses'), 'mayBeAsked'> &
  Pick<typeof import('./resourceTarget'), 'resourceUri'>;

/** Resources (spec: server/resources) in so far as every window has them: the view and the read-only file system. */
export class Resources extends Owner {
  readonly reader: Lazy<ResourceReader>;
  readonly fileSystem: ResourceFileSystem;
  readonly hexView: HexView;

  /** @param rows of the view; undefined while there are none. */
  constructor(servers: ServerSet, rows: () => ResourcesTree | undefined, later: () => Later, state: PlainState) {
    super();
    let isSettled = false;
    this.own(
      servers.onDidChange(change => {
        isSettled ||= change === undefined;
      }),
    );
    const known = { servers, isSettled: () => isSettled, state };
    this.reader = lazy(() => this.own(new (later().ResourceReader)(servers, isSettled)));
    this.fileSystem = this.own(new ResourceFileSystem(this.reader, later, known));
    this.hexView = this.own(new HexView(this.reader, later, known));
    this.own(vscode.workspace.registerTextDocumentContentProvider(HEX_SCHEME, this.hexView));
    this.own(
      vscode.window.createTreeView('mcpHost.resources', {
        treeDataProvider: this.own(new LazyTree(rows, servers.onDidChange)),
        showCollapseAll: true,
        dragAndDropController: new ResourceDrag((...resource) => later().resourceUri(...resource)),
      }),
    );
  }
}

export const URI_LIST = 'text/uri-list';

/** Drags resources out of the Resources view. Chat and the editor area use the URI of the row itself. */
export class ResourceDrag implements vscode.TreeDragAndDropController<ResourceNode> {
  readonly dragMimeTypes = [URI_LIST];
  readonly dropMimeTypes = [];

  constructor(private readonly uriOf: typeof resourceUri) {}

  handleDrag(nodes: readonly ResourceNode[], data: vscode.DataTransfer): void {
    const files = nodes.flatMap(node =>
      node.type === 'resource' || node.type === 'recent' ? [this.uriOf(node.server.id, node.resource)] : [],
    );
    if (files.length > 0) data.set(URI_LIST, new vscode.DataTransferItem(files.map(String).join('\r\n')));
  }
}

/** The resources of all servers as read-only files. Errors keep the message that names server, URI and remedy. */
class ResourceFileSystem extends VirtualFiles {
  constructor(
    private readonly reader: Lazy<ResourceReader>,
    private readonly later: () => Later,
    private readonly known: KnownServers,
  ) {
    const isReadonly = new vscode.MarkdownString(
      t('Resources of MCP servers are read-only. To keep one, use "Save a Copy…".'),
    );
    super(RESOURCE_SCHEME, { isCaseSensitive: true, isReadonly }, (path, of) => later().isActedOn(path, of));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const address = decodeAddress(uri);
    if (!address) return this.#folder(uri);
    try {
      await checkAddress(this.later(), this.known, uri);
      const { size, mtime, parts } = await this.reader().stat(address);
      if (parts) return { ...folderStat, mtime };
      return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
    } catch (error) {
      throw this.#error(error);
    }
  }

  /** Its addresses outlive the window: each read checks them. */
  protected override isOwn(): boolean {
    return true;
  }

  protected override serverOf(uri: vscode.Uri): string | undefined {
    return decodeAddress(uri)?.serverId;
  }

  protected override async bytesOf(uri: vscode.Uri): Promise<Uint8Array> {
    const address = decodeAddress(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const { shown, parts } = await this.#recent(uri, address);
    if (parts) throw vscode.FileSystemError.FileIsADirectory(uri);
    return shown;
  }

  /** The contents of a resource that has several. The folders above exist only for code that walks up the path. */
  override async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const address = decodeAddress(uri);
    if (!address) {
      this.#folder(uri);
      return [];
    }
    const { parts } = await this.#recent(uri, address);
    if (!parts) throw vscode.FileSystemError.FileNotADirectory(uri);
    const of = { server: address.serverId };
    return parts.map(({ name, shown }) => [
      this.later().nameToOpen(name, { ...of, text: () => Buffer.from(shown).toString() }),
      vscode.FileType.File,
    ]);
  }

  async #recent(uri: vscode.Uri, address: ResourceAddress): Promise<ResourceContent> {
    try {
      await checkAddress(this.later(), this.known, uri);
      return await this.reader().forEditor(address);
    } catch (error) {
      throw this.#error(error);
    }
  }

  #folder(uri: vscode.Uri): vscode.FileStat {
    // `<server>/<encoded uri>` and the folders above it.
    if (uri.path.split('/').filter(Boolean).length > 1) throw vscode.FileSystemError.FileNotFound(uri);
    return folderStat;
  }

  #error(error: unknown): vscode.FileSystemError {
    const message = errorText(error, 1_000);
    const { FileNotFound, Unavailable } = vscode.FileSystemError;
    return this.later().isNotFound(error) ? FileNotFound(message) : Unavailable(message);
  }
}

/** Throws an `Error` for an address that only a file names: see `mayBeAsked`. */
async function checkAddress({ mayBeAsked }: Later, known: KnownServers, uri: vscode.Uri): Promise<void> {
  if (!(await mayBeAsked(known, uri)))
    throw new Error(t('No server is asked for an address that only a file names. Use "Find Resource…".'));
}

/** Shows bytes that no text or media editor can show. */
class HexView extends Owner implements vscode.TextDocumentContentProvider {
  readonly #changed = this.own(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly reader: Lazy<ResourceReader>,
    private readonly later: () => Later,
    private readonly known: KnownServers,
  ) {
    super();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = parseResourceUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    if (this.later().isActedOn(uri.path, { server: address.serverId })) throw new Error(actedOnText());
    await checkAddress(this.later(), this.known, uri);
    const { bytes } = await this.reader().recent(address);
    const { hexDump, MAX_HEX_BYTES } = this.later();
    const rest = bytes.length - MAX_HEX_BYTES;
    if (rest <= 0) return hexDump(bytes);
    return `${hexDump(bytes)}${t('… {0} more bytes are not shown. "Save a Copy…" writes all of them to a file.', rest)}\n`;
  }

  tellChanged(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) this.#changed.fire(uri);
  }
}

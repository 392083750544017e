import { Owner } from '../base/events';
import type { isActedOn } from './openedAs';
import { t } from './window';

import vscode = require('vscode');

type IsActedOn = typeof isActedOn;

/** Of the documents of this window. */
const WINDOW = crypto.randomUUID();

/**
 * The address of a document of this window, which no file can have: the editor reads what a file names as its schema, unasked, with all that
 * this refers to. Its query is not shown.
 */
export const ownUri = (parts: { scheme: string; authority?: string; path: string }): vscode.Uri =>
  vscode.Uri.from({ ...parts, query: WINDOW });

/** The address for servers and models, which could give it to a file. */
export const withoutOwn = (uri: vscode.Uri): vscode.Uri => (isOwnUri(uri) ? uri.with({ query: '' }) : uri);

export const isOwnUri = ({ query }: vscode.Uri): boolean => query === WINDOW;

/** By scheme: the id of the server whose text a document of ours has. */
export const serversOf = new Map<string, (uri: vscode.Uri) => string | undefined>();

/** A file system of ours. Its files change only if a subclass implements that, and its folders are not listed. */
export abstract class VirtualFiles extends Owner implements vscode.FileSystemProvider {
  readonly #changed = this.own(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;

  /** @param isActedOn may be loaded with the first file that is read */
  constructor(
    scheme: string,
    options: Parameters<typeof vscode.workspace.registerFileSystemProvider>[2],
    private readonly isActedOn: IsActedOn,
  ) {
    super();
    this.own(vscode.workspace.registerFileSystemProvider(scheme, this, options));
    serversOf.set(scheme, uri => this.serverOf(uri));
  }

  abstract stat(uri: vscode.Uri): vscode.FileStat | Promise<vscode.FileStat>;

  /** The bytes of a file. Throws a `FileSystemError`. */
  protected abstract bytesOf(uri: vscode.Uri): Uint8Array | Promise<Uint8Array>;

  /** The id of the server whose text a file has. */
  protected serverOf(_uri: vscode.Uri): string | undefined {
    return undefined;
  }

  /** Whether the address comes from us. */
  protected isOwn(uri: vscode.Uri): boolean {
    return isOwnUri(uri);
  }

  /** Anybody can write an address with any file name, as in a link. */
  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const bytes = await this.bytesOf(uri);
    if (!this.isOwn(uri)) throw vscode.FileSystemError.FileNotFound(uri);
    const of = { server: this.serverOf(uri), text: () => Buffer.from(bytes).toString('utf8') };
    if (this.isActedOn(uri.path, of)) throw vscode.FileSystemError.Unavailable(actedOnText());
    return bytes;
  }

  /** Makes the editor ask again for those of these files that it shows. */
  tellChanged(uris: readonly vscode.Uri[]): void {
    if (uris.length > 0) this.#changed.fire(uris.map(uri => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  readDirectory(_uri: vscode.Uri): [string, vscode.FileType][] | Promise<[string, vscode.FileType][]> {
    return [];
  }

  /** Changes are reported for all files, watched or not. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri, _bytes: Uint8Array): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

export const folderStat: vscode.FileStat = { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };

export const actedOnText = (): string =>
  t(
    'The editor would do more than show what a server sent, perhaps by a setting of the workspace ({0}). Open it from its row, or save a copy.',
    '`files.associations`, `workbench.editorAssociations`',
  );

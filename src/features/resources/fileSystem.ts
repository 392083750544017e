import vscode = require('vscode');

import { errorText } from '../../editor/errorText';
import { folderStat, VirtualFiles } from '../../editor/virtualFiles';
import { decodeAddress, type ResourceAddress } from './core/resourceAddress';
import type { ResourceContent } from './core/resourceContent';
import { isNotFound, type ResourceReader } from './core/resourceReader';

/**
 * The resources of all servers as read-only files. Errors keep the message that names server, URI and remedy.
 */
export class ResourceFileSystem extends VirtualFiles {
  constructor(private readonly reader: ResourceReader) {
    super();
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const address = decodeAddress(uri);
    if (!address) return this.#folder(uri);
    try {
      const { size, mtime, parts } = await this.reader.stat(address);
      return parts ? { ...folderStat, mtime } : file(size, mtime);
    } catch (error) {
      throw fileSystemError(error);
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const address = decodeAddress(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const { shown, parts } = await this.#recent(address);
    if (parts) throw vscode.FileSystemError.FileIsADirectory(uri);
    return shown;
  }

  /**
   * Lists the contents of a resource that has several. The folders above exist only for code that walks up the path;
   * browsing is what the tree is for.
   */
  override async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const address = decodeAddress(uri);
    if (!address) {
      this.#folder(uri);
      return [];
    }
    const { parts } = await this.#recent(address);
    if (!parts) throw vscode.FileSystemError.FileNotADirectory(uri);
    return parts.map(({ name }) => [name, vscode.FileType.File]);
  }

  async #recent(address: ResourceAddress): Promise<ResourceContent> {
    try {
      return await this.reader.recent(address);
    } catch (error) {
      throw fileSystemError(error);
    }
  }

  #folder(uri: vscode.Uri): vscode.FileStat {
    // `<server>/<encoded uri>` and the folders above it.
    if (uri.path.split('/').filter(Boolean).length > 1) throw vscode.FileSystemError.FileNotFound(uri);
    return folderStat;
  }
}

function file(size: number, mtime: number): vscode.FileStat {
  return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
}

/** Keeps the message, which names server, URI and remedy. */
function fileSystemError(error: unknown): vscode.FileSystemError {
  const message = errorText(error, 1_000);
  return isNotFound(error) ? vscode.FileSystemError.FileNotFound(message) : vscode.FileSystemError.Unavailable(message);
}

import * as vscode from 'vscode';
import { messageOf } from '../../host/errors';
import { folderStat, VirtualFiles } from '../virtualFiles';
import { decodeAddress } from './address';
import { isNotFound, type ResourceReader } from './reader';

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
      const { size, mtime } = await this.reader.stat(address);
      return file(size, mtime);
    } catch (error) {
      throw fileSystemError(error);
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const address = decodeAddress(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return (await this.reader.recent(address)).shown;
    } catch (error) {
      throw fileSystemError(error);
    }
  }

  /** Folders exist for who climbs up from a resource; nothing is found by browsing them: the tree is for that. */
  override readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    this.#folder(uri);
    return [];
  }

  #folder(uri: vscode.Uri): vscode.FileStat {
    // `<server>/<encoded uri>` and what is above it.
    if (uri.path.split('/').filter(Boolean).length > 1) throw vscode.FileSystemError.FileNotFound(uri);
    return folderStat;
  }
}

function file(size: number, mtime: number): vscode.FileStat {
  return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
}

/** Keeps the message, which names server, URI and remedy. */
function fileSystemError(error: unknown): vscode.FileSystemError {
  const message = messageOf(error, 1_000);
  return isNotFound(error) ? vscode.FileSystemError.FileNotFound(message) : vscode.FileSystemError.Unavailable(message);
}

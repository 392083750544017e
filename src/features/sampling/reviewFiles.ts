import vscode = require('vscode');

import { folderStat, VirtualFiles } from '../../editor/virtualFiles';

interface ReviewFile {
  bytes: Uint8Array;
  mtime: number;
  readonly: boolean;
}

/** Files in memory: the reviewed document, which can be edited, and the original request and its images, which can't. */
export class ReviewFiles extends VirtualFiles {
  readonly #files = new Map<string, ReviewFile>();

  put(uri: vscode.Uri, bytes: Uint8Array, { readonly = false } = {}): void {
    this.#files.set(uri.path, { bytes, mtime: Date.now(), readonly });
  }

  /** Forgets all files of a folder. */
  removeFolder(folder: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${folder}/`)) this.#files.delete(path);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.#files.get(uri.path);
    if (!file && [...this.#files.keys()].some(path => path.startsWith(`${uri.path}/`))) return folderStat;
    const { bytes, mtime, readonly } = this.#file(uri);
    const permissions = readonly ? { permissions: vscode.FilePermission.Readonly } : {};
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, ...permissions };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  override writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#file(uri);
    if (file.readonly) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.path, { ...file, bytes, mtime: Math.max(Date.now(), file.mtime + 1) });
  }

  override dispose(): void {
    super.dispose();
    this.#files.clear();
  }

  #file(uri: vscode.Uri): ReviewFile {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

import vscode = require('vscode');

import { folderStat, VirtualFiles } from '../../editor/virtualFiles';

/** Files in memory that an editor can change and save. */
export class JsonFiles extends VirtualFiles {
  readonly #files = new Map<string, { bytes: Uint8Array; mtime: number }>();

  put(uri: vscode.Uri, text: string): void {
    this.#files.set(uri.path, { bytes: Buffer.from(text), mtime: Date.now() });
  }

  remove(uri: vscode.Uri): void {
    this.#files.delete(uri.path);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const isFolder = uri.path.split('/').filter(Boolean).length < 2;
    if (isFolder) return folderStat;
    const { bytes, mtime } = this.#file(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  override writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const { mtime } = this.#file(uri);
    this.#files.set(uri.path, { bytes, mtime: Math.max(Date.now(), mtime + 1) });
  }

  override dispose(): void {
    super.dispose();
    this.#files.clear();
  }

  #file(uri: vscode.Uri): { bytes: Uint8Array; mtime: number } {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

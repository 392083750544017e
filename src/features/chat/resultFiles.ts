import { randomUUID } from 'node:crypto';

import vscode = require('vscode');

import type { ResultFiles } from './core/keptResults';

const FOLDER = 'long-results';
/** Twice the limit for all results together. */
const MAX_BYTES = 200_000_000;
/** Age after which files of a window that ended without cleaning up are removed. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Files of this window in the extension's own storage, which end with it. */
export class WindowFiles implements ResultFiles, vscode.Disposable {
  readonly #all: vscode.Uri;
  readonly #own: vscode.Uri;
  #made: Promise<void> | undefined;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    this.#all = vscode.Uri.joinPath(globalStorageUri, FOLDER);
    this.#own = vscode.Uri.joinPath(this.#all, randomUUID());
  }

  async write(name: string, text: string): Promise<void> {
    this.#made ??= this.#prepare();
    await this.#made;
    await vscode.workspace.fs.writeFile(this.#file(name), Buffer.from(text));
  }

  async read(name: string): Promise<string | undefined> {
    try {
      const file = this.#file(name);
      const { type, size } = await vscode.workspace.fs.stat(file);
      if (type !== vscode.FileType.File || size > MAX_BYTES) return undefined;
      return Buffer.from(await vscode.workspace.fs.readFile(file)).toString();
    } catch {
      return undefined;
    }
  }

  async remove(name: string): Promise<void> {
    await vscode.workspace.fs.delete(this.#file(name));
  }

  dispose(): void {
    if (this.#made !== undefined) void remove(this.#own);
  }

  #file(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#own, name);
  }

  async #prepare(): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.#own);
    for (const [name] of await vscode.workspace.fs.readDirectory(this.#all)) {
      const folder = vscode.Uri.joinPath(this.#all, name);
      const { mtime } = await vscode.workspace.fs.stat(folder);
      if (Date.now() - mtime > STALE_MS) await remove(folder);
    }
  }
}

/** Another window may be removing it too. */
async function remove(folder: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.delete(folder, { recursive: true });
  } catch {
    // Already removed, or left to the next window.
  }
}

// In place of: node:fs/promises, base/files
import vscode = require('vscode');

import { PhraseError, phrase } from '../base/phrase';

/** `node:fs/promises` over the editor's file systems, for the extension's own storage alone. */
let storage: vscode.Uri | undefined;

/** @param uri the extension's storage, whose file system all paths are of. */
export function useStorage(uri: vscode.Uri): void {
  storage = uri;
}

function at(path: string): vscode.Uri {
  if (!storage) throw new Error('The storage is not known yet.');
  return storage.with({ path });
}

const { fs } = vscode.workspace;

export async function readFile(path: string, _encoding: 'utf8'): Promise<string> {
  return new TextDecoder().decode(await fs.readFile(at(path)));
}

export async function writeFile(path: string, text: string): Promise<void> {
  await fs.writeFile(at(path), new TextEncoder().encode(text));
}

export async function appendFile(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => '');
  await writeFile(path, before + text);
}

/** Always with the folders above it, which the editor makes too. */
export async function mkdir(path: string): Promise<void> {
  await fs.createDirectory(at(path));
}

export async function readdir(path: string): Promise<string[]> {
  return (await fs.readDirectory(at(path))).map(([name]) => name);
}

export async function rename(from: string, to: string): Promise<void> {
  await fs.rename(at(from), at(to), { overwrite: true });
}

export async function rm(path: string, { recursive = false, force = false } = {}): Promise<void> {
  await fs.delete(at(path), { recursive, useTrash: false }).then(undefined, error => {
    if (!force) throw error;
  });
}

export async function stat(path: string): Promise<{ size: number; mtimeMs: number }> {
  const { size, mtime } = await fs.stat(at(path));
  return { size, mtimeMs: mtime };
}

/** The editor's file systems cannot set times: temporary files expire by when they were written. */
export const utimes = (): Promise<void> => Promise.resolve();

/** No disk is written to synchronously in a web window. */
export function createFileSync(path: string): never {
  throw new Error(`${path} is not on a disk of this window.`);
}

/** Only programs have an `envFile`. */
export const readBounded = (path: string): Promise<never> =>
  Promise.reject(new PhraseError(phrase('{0} is not on a disk', path)));

/** In the extension's own storage, which has no links and no modes. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** The editor writes the whole file or nothing. */
export async function appendLines(path: string, lines: string[]): Promise<void> {
  await appendFile(path, lines.join(''));
  lines.length = 0;
}

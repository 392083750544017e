import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../../base/errors';

import vscode = require('vscode');

import { createFileSync } from '../../base/files';
import { isObject, parsedJson } from '../../base/json';
import { t } from '../../editor/window';
import type { DefinitionSource } from '../../host/definition';

/** The settings file of a secret: one storage has those of all machines, whose paths mean different files. */
export class SecretOwners {
  /** Undefined: this window is on the person's own computer. */
  readonly #machine: string | undefined;

  /** @param storage path of the folder of the extension on the machine where it runs. */
  constructor(storage: string) {
    this.#machine = vscode.env.remoteName === undefined ? undefined : nameIn(storage);
  }

  /** As parts of a key. */
  of(source: DefinitionSource): readonly string[] {
    const where = source.scope === 'user' || source.scope === 'machine' ? '' : whereOf(source);
    return [source.scope, where, ...(this.namesMachine(source) ? [this.#machine!] : [])];
  }

  /** Whether what earlier versions kept for the same place may be another machine's: it is asked for again. */
  namesMachine({ scope }: DefinitionSource): boolean {
    return this.#machine !== undefined && scope !== 'user';
  }
}

/** The settings file of an input, in words. */
export function whereOf({ scope, folder, projectFile }: DefinitionSource): string {
  if (scope === 'user') return t('user settings');
  if (scope === 'machine') return t('remote settings');
  if (projectFile !== undefined) return projectFile;
  if (folder) return folder.path;
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri?.scheme === 'file' ? uri.fsPath : String(uri);
}

/** The random name that this machine got when it was first used. */
function nameIn(storage: string): string {
  const file = join(storage, 'machine.json');
  try {
    if (!existsSync(file)) {
      mkdirSync(storage, { recursive: true });
      createFileSync(file, JSON.stringify({ id: randomBytes(16).toString('hex') }));
    }
  } catch {
    // The disk is full, or can't be written to.
  }
  const found = parsedJson(attempt(() => readFileSync(file, 'utf8'), ''));
  return isObject(found) && typeof found.id === 'string' ? found.id : hostname();
}

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import vscode = require('vscode');

import { createFileSync } from '../../base/files';
import { isObject, parsedJson } from '../../base/json';
import { t } from '../../editor/window';
import type { DefinitionSource } from '../../host/definition';

interface MachineIdentity {
  readonly id: string;
  /** Earlier versions, whose secrets do not name their machine, were used here. */
  readonly isOlder: boolean;
}

/**
 * Tells to which settings file a secret belongs. The editor keeps the secrets of all machines in one storage, and the same path means
 * another file on each of them.
 */
export class SecretOwners {
  /** Undefined: this window is on the person's own computer. */
  readonly #machine: MachineIdentity | undefined;

  /** @param storage path of the folder of the extension on the machine where it runs. Nothing may have been written there yet. */
  constructor(storage: string) {
    this.#machine = vscode.env.remoteName === undefined ? undefined : identityIn(storage);
  }

  /** As parts of a key. */
  of(source: DefinitionSource): readonly string[] {
    return [...withoutMachine(source), ...(this.#machine && source.scope !== 'user' ? [this.#machine.id] : [])];
  }

  /** In keys of earlier versions, if their values may be of this machine. Undefined: the key was the same, or is another machine's. */
  before(source: DefinitionSource): readonly string[] | undefined {
    return this.#machine?.isOlder && source.scope !== 'user' ? withoutMachine(source) : undefined;
  }
}

const withoutMachine = (source: DefinitionSource): readonly [scope: string, where: string] => [
  source.scope,
  source.scope === 'user' || source.scope === 'machine' ? '' : whereOf(source),
];

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

function identityIn(storage: string): MachineIdentity {
  const file = join(storage, 'machine.json');
  try {
    if (!existsSync(file)) {
      mkdirSync(storage, { recursive: true });
      const made: MachineIdentity = {
        id: randomBytes(16).toString('hex'),
        isOlder: existsSync(join(storage, 'audit')),
      };
      createFileSync(file, JSON.stringify(made));
    }
  } catch {
    // The disk is full, or can't be written to.
  }
  const found = parsedJson(textOf(file));
  const { id, isOlder } = isObject(found) ? found : {};
  return typeof id === 'string' ? { id, isOlder: isOlder === true } : { id: hostname(), isOlder: false };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

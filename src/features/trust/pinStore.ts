import * as path from 'node:path';
import type * as vscode from 'vscode';
import { ServerMemory } from '../../editor/serverMemory';
import type { ServerDefinition } from '../../host';
import type { PinStore as Store } from './core/pins';

/** Larger than what any server may list. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Keeps pins in the extension's own folders: for the person's servers everywhere, for a workspace's in that workspace. */
export class PinStore implements Store {
  readonly #user: ServerMemory;
  readonly #workspace: ServerMemory;

  constructor({ globalStorageUri, storageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri'>) {
    const limits = { keptMs: Number.POSITIVE_INFINITY, maxBytes: MAX_BYTES };
    this.#user = new ServerMemory(path.join(globalStorageUri.fsPath, 'pins'), limits);
    this.#workspace = storageUri ? new ServerMemory(path.join(storageUri.fsPath, 'pins'), limits) : this.#user;
  }

  read(server: ServerDefinition): Promise<unknown> {
    return this.#memory(server).read(server.id);
  }

  write(server: ServerDefinition, pins: unknown): Promise<void> {
    return this.#memory(server).write(server.id, pins);
  }

  #memory({ source }: ServerDefinition): ServerMemory {
    return source.scope === 'user' ? this.#user : this.#workspace;
  }
}

import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { replaceFile } from '../base/files';
import { sha256 } from '../base/fingerprint';
import { Queues } from '../base/queue';
import {
  type KeptScope,
  keptScope,
  type MemoryPort,
  type ProgramRecords,
  type ServerDefinition,
} from '../host/definition';

const TRIES = 10;

/**
 * Stores a value and makes sure that it stays stored: the editor drops an update if the notification of an earlier one, of
 * any key and even from another window, reaches it at the same moment. Something that the person has forbidden or revoked
 * would then still be allowed. Rejects if retrying does not help.
 * @param value `undefined` forgets.
 */
export async function keepIn(
  memento: Pick<vscode.Memento, 'get' | 'update'>,
  key: string,
  value: unknown,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await memento.update(key, value);
    if (JSON.stringify(memento.get(key)) === JSON.stringify(value)) return;
  }
  throw new Error(`The editor does not keep "${key}".`);
}

/** The parts of the extension's own storage that small values are kept in. */
export type Mementos = Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>;

/** All that is kept for each scope. `programs`: what a person allowed programs of servers, which ends with each of them. */
interface Stores {
  readonly programs:
    | 'mcpHost.approvals'
    | 'mcpHost.flow'
    | 'mcpHost.sampling'
    | 'mcpHost.skills'
    | 'mcpHost.testConsents'
    | 'sandbox.granted';
  /** Permissions of others: clients, commands, and launches themselves, by what is launched. */
  readonly others: 'mcpHost.clients' | 'mcpHost.consents' | 'mcpHost.inputCommands';
  /** What allows nothing. */
  readonly records: 'mcpHost.agentEntries' | 'mcpHost.apps';
}

/** Keys under which nothing is kept that allows anything. */
type PlainKey =
  | 'chat.hiddenTools'
  | 'chat.unfinished'
  | 'mcpHost.chatAsksLess'
  | 'mcpHost.chatWindow'
  | 'mcpHost.flowReads'
  | 'mcpHost.hasModels'
  | 'mcpHost.inputs'
  | 'mcpHost.samplingUsage'
  | 'mcpHost.watchedResources'
  | 'nativeChat.readers'
  | 'profiles.chosen'
  | 'resources.addressStamp'
  | 'resources.templates'
  | 'sandbox.kept'
  | 'shellPath'
  | 'snapshots'
  | 'tasks'
  | 'walkthrough.serverRan';

/** The editor's storage for facts and preferences. What a person allows is kept in a `ScopedStorage`. */
export interface PlainState {
  get<T>(key: PlainKey): T | undefined;
  get<T>(key: PlainKey, otherwise: T): T;
  update(key: PlainKey, value: unknown): Thenable<void>;
}

/** Keeps a value for each scope in the extension's own storage. */
export class ScopedStorage<K extends Stores[keyof Stores]> {
  declare readonly ofPrograms?: K extends Stores['programs'] ? true : false;
  readonly #mementos: Record<KeptScope, vscode.Memento>;

  constructor(
    { workspaceState, globalState }: Mementos,
    private readonly key: K,
  ) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: KeptScope): unknown {
    return this.#mementos[scope].get(this.key);
  }

  /** @param value what has nothing in it is forgotten. */
  set(scope: KeptScope, value: K extends Stores['programs'] ? ProgramRecords : object): Promise<void> {
    return keepIn(this.#mementos[scope], this.key, Object.keys(value).length > 0 ? value : undefined);
  }
}

interface MemoryLimits {
  /** Unread for this long, a value counts as that of a server that was removed. In milliseconds; default: 30 days. */
  keptMs?: number;
  /** A value that is larger is not kept. */
  maxBytes?: number;
}

/** Keeps what is remembered about servers as JSON files in a folder of the extension, one for each key. */
export class ServerMemory implements MemoryPort {
  #ready: Promise<unknown> | undefined;
  /** Each key in turn: a server that is removed and added again finds what it had. */
  readonly #turns = new Queues();

  constructor(
    private readonly folder: string,
    private readonly limits: MemoryLimits = {},
  ) {}

  read(key: string): Promise<unknown> {
    return this.#turns.run(key, () => this.#read(key));
  }

  write(key: string, value: unknown): Promise<void> {
    return this.#turns.run(key, () => this.#write(key, value));
  }

  async #read(key: string): Promise<unknown> {
    const file = this.#file(key);
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      const now = new Date();
      void utimes(file, now, now).catch(() => {});
      return value;
    } catch {
      return undefined;
    }
  }

  async #write(key: string, value: unknown): Promise<void> {
    const file = this.#file(key);
    try {
      this.#ready ??= mkdir(this.folder, { recursive: true, mode: 0o700 }).then(() => this.#prune());
      await this.#ready;
      const text = value === undefined ? undefined : JSON.stringify(value);
      if (text === undefined || text.length > (this.limits.maxBytes ?? 8 * 1024 * 1024)) {
        await rm(file, { force: true });
        return;
      }
      // Two windows may write at once: every file is one complete version.
      await replaceFile(file, text, 0o600);
    } catch {
      // A full or read-only disk only costs the next start some time. The next write may succeed.
      this.#ready = undefined;
    }
  }

  #file(key: string): string {
    return path.join(this.folder, `${sha256(key)}.json`);
  }

  async #prune(): Promise<void> {
    const { keptMs = 30 * 24 * 3_600_000 } = this.limits;
    const now = Date.now();
    for (const name of await readdir(this.folder)) {
      const file = path.join(this.folder, name);
      const { mtimeMs } = await stat(file);
      if (now - mtimeMs > keptMs) await rm(file, { force: true });
    }
  }
}

/** For what must not be forgotten, larger than what any server may list. */
export const KEPT_FOR_GOOD: MemoryLimits = { keptMs: Number.POSITIVE_INFINITY, maxBytes: 256 * 1024 * 1024 };

export type MemoryFolders = Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri'>;

/** Keeps values about servers: of the person's servers everywhere, of a workspace's in that workspace. */
export class ScopedMemory<F extends 'apps' | 'pins' | 'skills'> {
  /** What a person agreed to of apps is kept with the launch of the program. */
  declare readonly ofPrograms?: F extends 'apps' ? true : false;
  readonly #memories: Readonly<Record<KeptScope, ServerMemory>>;

  /** @param folder in the extension's own folders. */
  constructor({ globalStorageUri, storageUri }: MemoryFolders, folder: F, limits?: MemoryLimits) {
    const memory = ({ fsPath }: vscode.Uri) => new ServerMemory(path.join(fsPath, folder), limits);
    const user = memory(globalStorageUri);
    this.#memories = { user, workspace: storageUri ? memory(storageUri) : user };
  }

  read({ source, id }: ServerDefinition, key = id): Promise<unknown> {
    return this.#memories[keptScope(source)].read(key);
  }

  write({ source, id }: ServerDefinition, value: unknown, key = id): Promise<void> {
    return this.#memories[keptScope(source)].write(key, value);
  }
}

import * as path from 'node:path';
import type * as vscode from 'vscode';
import { ScopedStorage, ServerMemory } from '../../editor/storage';
import type { ServerDefinition } from '../../host/definition';
import { type ApprovalStore, parseAnswer, type StoredAnswer, type StoredApprovals } from './core/approvals';
import type { AllowedCommand, CommandConsentStore } from './core/commandConsents';
import type { ConsentScope, ConsentStore, StoredConsents } from './core/consent';
import type { PinStore } from './core/pins';

type StorageContext = ConstructorParameters<typeof ScopedStorage>[0];

/** Stores consents in extension storage, out of reach of settings and workspaces. */
export class ConsentStorage extends ScopedStorage implements ConsentStore {
  constructor(context: StorageContext) {
    super(context, 'mcpHost.consents');
  }

  get(scope: ConsentScope): StoredConsents | undefined {
    const stored = this.stored(scope) as Partial<StoredConsents> | undefined;
    if (typeof stored?.salt !== 'string' || typeof stored.servers !== 'object') return undefined;
    // What a different version stored is ignored: without an answer, the person is asked.
    const servers = Object.entries(stored.servers ?? {}).filter(([, consent]) => isConsent(consent));
    return { salt: stored.salt, servers: Object.fromEntries(servers) };
  }

  set(scope: ConsentScope, consents: StoredConsents): Promise<void> {
    return this.keep(scope, Object.keys(consents.servers).length > 0 ? consents : {});
  }
}

function isConsent(value: unknown): boolean {
  const { allowed, denied } = (value ?? {}) as Partial<StoredConsents['servers'][string]>;
  if (denied && typeof denied.fingerprint !== 'string') return false;
  return allowed === undefined || (typeof allowed.fingerprint === 'string' && Array.isArray(allowed.fields));
}

/** Stores which input commands may always run. */
export class CommandConsentStorage extends ScopedStorage implements CommandConsentStore {
  constructor(context: StorageContext) {
    super(context, 'mcpHost.inputCommands');
  }

  get(scope: ConsentScope): readonly AllowedCommand[] {
    const stored = this.stored(scope);
    return Array.isArray(stored) ? stored.filter(isAllowedCommand) : [];
  }

  set(scope: ConsentScope, allowed: readonly AllowedCommand[]): Promise<void> {
    return this.keep(scope, allowed);
  }
}

function isAllowedCommand(value: unknown): value is AllowedCommand {
  const { key, id, where, fingerprint, text, at } = (value ?? {}) as Partial<AllowedCommand>;
  return [key, id, where, fingerprint, text].every(part => typeof part === 'string') && typeof at === 'number';
}

/** Larger than what any server may list. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Stores pins, or agreements to apps, in the extension's own folders: for the person's servers everywhere, for a workspace's
 * in that workspace.
 */
export class PinStorage implements PinStore {
  readonly #user: ServerMemory;
  readonly #workspace: ServerMemory;

  constructor(
    { globalStorageUri, storageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri'>,
    folder: 'pins' | 'apps' = 'pins',
  ) {
    const limits = { keptMs: Number.POSITIVE_INFINITY, maxBytes: MAX_BYTES };
    this.#user = new ServerMemory(path.join(globalStorageUri.fsPath, folder), limits);
    this.#workspace = storageUri ? new ServerMemory(path.join(storageUri.fsPath, folder), limits) : this.#user;
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

/** Stores approvals in extension storage, out of reach of settings and workspaces. */
export class ApprovalStorage extends ScopedStorage implements ApprovalStore {
  constructor(context: StorageContext) {
    super(context, 'mcpHost.approvals');
  }

  get(scope: 'workspace' | 'user'): StoredApprovals {
    const stored = this.stored(scope);
    if (typeof stored !== 'object' || stored === null) return {};
    // What a different version stored is ignored: without an answer, the person is asked.
    return Object.fromEntries(
      Object.entries(stored).flatMap(([key, kept]): [string, StoredAnswer][] => {
        const answer = parseAnswer(kept);
        return answer === undefined ? [] : [[key, answer]];
      }),
    );
  }

  set(scope: 'workspace' | 'user', rules: StoredApprovals): Promise<void> {
    return this.keep(scope, rules);
  }
}

import type * as vscode from 'vscode';
import { keepIn } from '../../editor/keepIn';
import type { AllowedCommand, CommandConsentStore as CommandStore } from './core/commandConsents';
import type { ConsentScope, ConsentStore as Store, StoredConsents } from './core/consent';

const KEY = 'mcpHost.consents';

/** Keeps consents in the extension's own storage, out of reach of settings and workspaces. */
export class ConsentStore implements Store {
  readonly #mementos: Record<ConsentScope, vscode.Memento>;

  constructor({ workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: ConsentScope): StoredConsents | undefined {
    const stored = this.#mementos[scope].get<Partial<StoredConsents>>(KEY);
    if (typeof stored?.salt !== 'string' || typeof stored.servers !== 'object') return undefined;
    // What a different version stored is ignored: without an answer, the person is asked.
    const servers = Object.entries(stored.servers ?? {}).filter(([, consent]) => isConsent(consent));
    return { salt: stored.salt, servers: Object.fromEntries(servers) };
  }

  async set(scope: ConsentScope, consents: StoredConsents): Promise<void> {
    await keepIn(this.#mementos[scope], KEY, Object.keys(consents.servers).length > 0 ? consents : undefined);
  }
}

function isConsent(value: unknown): boolean {
  const { allowed, denied } = (value ?? {}) as Partial<StoredConsents['servers'][string]>;
  if (denied && typeof denied.fingerprint !== 'string') return false;
  return allowed === undefined || (typeof allowed.fingerprint === 'string' && Array.isArray(allowed.fields));
}

const COMMANDS_KEY = 'mcpHost.inputCommands';

/** Keeps which commands of inputs may always run, in the same storage. */
export class CommandConsentStore implements CommandStore {
  readonly #mementos: Record<ConsentScope, vscode.Memento>;

  constructor({ workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: ConsentScope): readonly AllowedCommand[] {
    const stored = this.#mementos[scope].get<unknown>(COMMANDS_KEY);
    return Array.isArray(stored) ? stored.filter(isAllowedCommand) : [];
  }

  async set(scope: ConsentScope, allowed: readonly AllowedCommand[]): Promise<void> {
    await this.#mementos[scope].update(COMMANDS_KEY, allowed.length > 0 ? allowed : undefined);
  }
}

function isAllowedCommand(value: unknown): value is AllowedCommand {
  const { key, id, where, fingerprint, text, at } = (value ?? {}) as Partial<AllowedCommand>;
  return [key, id, where, fingerprint, text].every(part => typeof part === 'string') && typeof at === 'number';
}

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

import vscode = require('vscode');

import { Emitter } from '../../base/events';
import type { DetailNode } from '../../editor/servers/serverNodes';
import { t, window } from '../../editor/window';
import type { BlockedAttempt, SandboxAttempts, ServerConnection, ServerId } from '../../host';
import { allowancesFor, type SandboxRefusal } from './core/proposal';
import { sandboxNode } from './sandboxRows';

/** The key in the workspace state under which is kept what the person wants to stay blocked. */
const KEPT_KEY = 'sandbox.kept';

/** What confined servers were refused, and what the person makes of it. Loaded with the first of them. */
export class ConfinedServers implements vscode.Disposable {
  readonly #changed = new Emitter<ServerConnection>();
  /** Fires with a server whose rows have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #followed = new WeakSet<SandboxAttempts>();
  /** A person is told once of each server: rows tell of all else. */
  readonly #told = new Set<ServerId>();
  readonly #watched = new Set<ServerId>();

  constructor(private readonly state: vscode.Memento) {}

  /** Follows what a confined server is refused from now on. */
  follow(server: ServerConnection): void {
    const { attempts } = server;
    if (!attempts || this.#followed.has(attempts)) return;
    this.#followed.add(attempts);
    attempts.onDidBlock(() => this.#refused(server));
    if (attempts.blocked.length > 0) this.#refused(server);
  }

  row(server: ServerConnection, attempts: SandboxAttempts): DetailNode {
    return sandboxNode(server, attempts, this.refusals(server));
  }

  refusals({ id, attempts }: ServerConnection): readonly SandboxRefusal[] {
    const kept = this.#kept[id] ?? [];
    return (attempts?.blocked ?? []).map(attempt => ({
      attempt,
      isKept: kept.includes(keyOf(attempt)),
      allowances: allowancesFor(attempt, homedir(), existsSync(attempt.what)),
    }));
  }

  /** The person has said that these stay blocked: nothing counts them or tells of them any more. */
  async keep(server: ServerConnection, attempts: readonly BlockedAttempt[]): Promise<void> {
    const kept = new Set([...(this.#kept[server.id] ?? []), ...attempts.map(keyOf)]);
    await this.state.update(KEPT_KEY, { ...this.#kept, [server.id]: [...kept] });
    this.#changed.fire(server);
  }

  /** Whether the person watches what a server needs. */
  isWatched(id: ServerId): boolean {
    return this.#watched.has(id);
  }

  /** From the next start on. */
  watch({ id }: ServerConnection, isWatched: boolean): void {
    if (isWatched) this.#watched.add(id);
    else this.#watched.delete(id);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get #kept(): Readonly<Record<ServerId, readonly string[]>> {
    return this.state.get(KEPT_KEY, {});
  }

  #refused(server: ServerConnection): void {
    this.#changed.fire(server);
    const first = this.refusals(server).find(({ isKept }) => !isKept);
    if (!first || this.#told.has(server.id) || server.attempts?.isWatched) return;
    this.#told.add(server.id);
    void tell(server, first.attempt);
  }
}

async function tell(server: ServerConnection, { what }: BlockedAttempt): Promise<void> {
  const review = t('Review…');
  const text = t(
    '"{0}" is confined, and was refused {1}. It may want more: see its rows.',
    server.name,
    what || t('Unix sockets'),
  );
  if ((await window.showWarningMessage(text, review)) === review) {
    await vscode.commands.executeCommand('mcpHost.changeSandbox', { server });
  }
}

const keyOf = ({ kind, what }: BlockedAttempt) => `${kind} ${what}`;

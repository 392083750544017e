import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

import vscode = require('vscode');

import { Emitter } from '../../base/events';
import { phrase } from '../../base/phrase';
import type { DetailNode } from '../../editor/servers/serverNodes';
import { t, window } from '../../editor/window';
import { type BlockedAttempt, type SandboxAttempts, type ServerConnection, sandboxIdentity } from '../../host';
import type { ServerDefinition, ServerId } from '../../host/definition';
import type { SandboxGrant } from '../../host/settings';
import type { AuditPort } from '../trust';
import { type HostAnswer, HostQuestions } from './core/hostQuestions';
import { allowancesFor, type SandboxRefusal } from './core/proposal';
import { sandboxNode } from './sandboxRows';

/** The key in the workspace state under which is kept what the person wants to stay blocked. */
const KEPT_KEY = 'sandbox.kept';
/** And what they have allowed beside the entry. Never settings: a repository must not allow itself anything. */
const GRANTED_KEY = 'sandbox.granted';

/** A grant and the program it was given to (`sandboxIdentity`): another program under this name has no part in it. */
type KeptGrant = SandboxGrant & { readonly launch: string };

/**
 * Attempts that were blocked in confined servers, and the person's decisions about them. Loaded with the first confined server.
 */
export class ConfinedServers implements vscode.Disposable {
  readonly #changed = new Emitter<ServerConnection>();
  /** Fires with a server whose rows have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #followed = new WeakSet<SandboxAttempts>();
  /** Servers with a notification: rows show the rest. */
  readonly #told = new Set<ServerId>();
  /** By `sandboxIdentity`: another program under the name is not watched. */
  readonly #watched = new Set<string>();
  /** Those that have asked for a host, by `sandboxIdentity`: an answer is for the one that asked. */
  readonly #asking = new Map<string, ServerDefinition>();
  readonly #questions = new HostQuestions({
    ask: (program, hosts) => askAboutHosts(this.#asking.get(program)!.name, hosts),
    said: (program, host) => {
      const definition = this.#asking.get(program)!;
      if (this.#kept[definition.id]?.includes(keyOf({ kind: 'network', what: host }))) return false;
      // An address of the person's own network is not any host: the proxy reaches one only where its name was agreed to.
      const { network = [] } = this.granted(definition);
      return network.includes(host) || network.includes('*') || undefined;
    },
    answered: async (program, hosts, answer) => {
      const definition = this.#asking.get(program)!;
      if (answer === 'keep')
        await this.#keep(
          definition.id,
          hosts.map(what => ({ kind: 'network', what })),
        );
      else await this.grant(definition, { network: answer === 'any' ? [...hosts, '*'] : hosts });
    },
  });

  constructor(
    private readonly state: vscode.Memento,
    private readonly audit: AuditPort,
  ) {}

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

  refusals({ id, attempts, definition }: ServerConnection): readonly SandboxRefusal[] {
    const kept = this.#kept[id] ?? [];
    const { network = [], sockets } = this.granted(definition);
    const isAllowedNow = ({ kind, what }: BlockedAttempt) =>
      kind === 'sockets' ? sockets === true : kind === 'network' && network.includes(what);
    const blocked = (attempts?.blocked ?? []).filter(attempt => !isAllowedNow(attempt));
    return blocked.map(attempt => ({
      attempt,
      isKept: kept.includes(keyOf(attempt)),
      allowances: allowancesFor(attempt, homedir(), existsSync(attempt.what)),
    }));
  }

  /** The person keeps these blocked: they are no longer counted or shown. */
  async keep(server: ServerConnection, attempts: readonly BlockedAttempt[]): Promise<void> {
    await this.#keep(server.id, attempts);
    this.#changed.fire(server);
  }

  /** The person's grants to a server beside its entry. */
  granted(definition: ServerDefinition): SandboxGrant {
    const grant = this.#granted[definition.id];
    return grant?.launch === sandboxIdentity(definition) ? grant : {};
  }

  /** The person allows this as well, in this workspace. Hosts are reached at once, all else from the next start on. */
  async grant(definition: ServerDefinition, more: SandboxGrant): Promise<void> {
    const { id } = definition;
    const launch = sandboxIdentity(definition);
    const before = this.granted(definition);
    const network = [...new Set([...(before.network ?? []), ...(more.network ?? [])])];
    await this.state.update(GRANTED_KEY, { ...this.#granted, [id]: { ...before, ...more, network, launch } });
    this.audit.record({ type: 'sandbox', server: id, what: 'allowed', ...more });
  }

  /** A confined server wants to reach a host without agreement: resolves with whether it may. */
  askHost(definition: ServerDefinition, host: string): Promise<boolean> {
    const program = sandboxIdentity(definition);
    this.#asking.set(program, definition);
    return this.#questions.wants(program, host);
  }

  /** Revokes the grants of a server, so that it is asked about again. */
  async revoke(id: ServerId): Promise<void> {
    const { [id]: grant, ...others } = this.#granted;
    await this.state.update(GRANTED_KEY, others);
    if (grant) this.audit.record({ type: 'sandbox', server: id, what: 'revoked' });
    for (const [program, asking] of this.#asking) if (asking.id === id) this.#questions.forget(program);
  }

  /** Whether the person watches what a server needs. */
  isWatched(definition: ServerDefinition): boolean {
    return this.#watched.has(sandboxIdentity(definition));
  }

  /** From the next start on. */
  watch({ definition }: ServerConnection, isWatched: boolean): void {
    const program = sandboxIdentity(definition);
    if (isWatched) this.#watched.add(program);
    else this.#watched.delete(program);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get #kept(): Readonly<Record<ServerId, readonly string[]>> {
    return this.state.get(KEPT_KEY, {});
  }

  get #granted(): Readonly<Record<ServerId, KeptGrant>> {
    return this.state.get(GRANTED_KEY, {});
  }

  async #keep(id: ServerId, attempts: readonly BlockedAttempt[]): Promise<void> {
    const kept = new Set([...(this.#kept[id] ?? []), ...attempts.map(keyOf)]);
    await this.state.update(KEPT_KEY, { ...this.#kept, [id]: [...kept] });
    const of = (isOne: (kind: BlockedAttempt['kind']) => boolean) =>
      attempts.filter(({ kind }) => isOne(kind)).map(({ what }) => what);
    const network = of(kind => kind === 'network');
    const files = of(kind => kind === 'read' || kind === 'write');
    const sockets = attempts.some(({ kind }) => kind === 'sockets');
    const blocked = {
      ...(network.length > 0 && { network }),
      ...(files.length > 0 && { files }),
      ...(sockets && { sockets }),
    };
    this.audit.record({ type: 'sandbox', server: id, what: 'kept', ...blocked });
  }

  #refused(server: ServerConnection): void {
    this.#changed.fire(server);
    // The person was asked about hosts.
    const open = this.refusals(server).filter(({ attempt, isKept }) => !isKept && attempt.kind !== 'network');
    const [first] = open;
    if (!first || this.#told.has(server.id) || server.attempts?.isWatched) return;
    this.#told.add(server.id);
    const sockets = open.find(({ attempt }) => attempt.kind === 'sockets');
    void (sockets ? this.#askAboutSockets(server, sockets.attempt) : tell(server, first.attempt));
  }

  /** One question for everything that a browser needs: it does not work in part. */
  async #askAboutSockets(server: ServerConnection, attempt: BlockedAttempt): Promise<void> {
    const [allow, any, keep] = [t('Allow'), t('Allow with Any Host'), t('Keep Blocked')];
    const text = t(
      '"{0}" is confined and wants to open Unix sockets, as browsers do. It restarts if you allow that.',
      server.name,
    );
    const answer = await window.showWarningMessage(text, allow, any, keep);
    if (answer === keep) await this.keep(server, [attempt]);
    if (answer !== allow && answer !== any) return;
    await this.grant(server.definition, { sockets: true, ...(answer === any && { network: ['*'] }) });
    await server.restart(phrase('you allowed what it wanted'));
  }
}

async function askAboutHosts(name: string, hosts: readonly string[]): Promise<HostAnswer> {
  const these = hosts.length === 1 ? t('Allow Host') : t('Allow These Hosts');
  const [any, keep] = [t('Allow Any Host'), t('Keep Blocked')];
  const text = t('"{0}" is confined and wants to reach {1}.', name, hosts.join(', '));
  const answer = await window.showWarningMessage(text, these, any, keep);
  return answer === these ? 'these' : answer === any ? 'any' : answer === keep ? 'keep' : undefined;
}

async function tell(server: ServerConnection, { what }: BlockedAttempt): Promise<void> {
  const review = t('Review…');
  const text = t(
    '"{0}" is confined, and was refused {1}. More may be refused. See its rows.',
    server.name,
    what || t('Unix sockets'),
  );
  if ((await window.showWarningMessage(text, review)) === review) {
    await vscode.commands.executeCommand('mcpHost.changeSandbox', { server });
  }
}

const keyOf = ({ kind, what }: BlockedAttempt) => `${kind} ${what}`;

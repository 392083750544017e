import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Emitter, Owner } from '../../base/events';
import { phrase } from '../../base/phrase';
import { noteConfined } from '../../editor/openedAs';
import type { DetailNode } from '../../editor/serverRows';
import { type Mementos, type PlainState, ScopedStorage } from '../../editor/storage';
import {
  type AppearedPlace,
  type BlockedAttempt,
  type SandboxAttempts,
  type ServerConnection,
  sandboxIdentity,
} from '../../host';
import { KeptFor, KeptRecords, noteProgram, type ServerDefinition, type ServerId } from '../../host/definition';
import type { SandboxGrant } from '../../host/settings';
import type { AuditPort } from '../trust';
import { HostQuestions } from './core/hostQuestions';
import { allowancesFor, type SandboxRefusal, writeWishes } from './core/refusals';
import {
  askAboutAppeared,
  askAboutHosts,
  askAboutSockets,
  askAboutWriting,
  forEachPlace,
  tellOfRefusal,
} from './sandboxQuestions';
import { sandboxNode } from './sandboxRows';

import vscode = require('vscode');

/** So many folders are asked about for each program in a window. Rows tell of all. */
const MAX_WISHES = 5;
/** How long to wait for more that appears together, in milliseconds. */
const TOGETHER_MS = 500;
/** A server is restarted no more often for what its sandbox does not protect: some disks give a file another number each time. */
const ANEW_MS = 5 * 60_000;

/** The key in the workspace state under which is kept what the person wants to stay blocked. */
const KEPT_KEY = 'sandbox.kept';
/** And what they have allowed beside the entry. Never settings: a repository must not allow itself anything. */
const GRANTED_KEY = 'sandbox.granted';
/** Grants are for a program as it is confined: another one under its name has none. */
const programOf = (definition: ServerDefinition) => ({ launch: sandboxIdentity(definition) });

/** What confined servers were refused, and the person's decisions. Loaded with the first confined server. */
export class ConfinedServers extends Owner {
  readonly #changed = this.own(new Emitter<ServerConnection>());
  /** Fires with a server whose rows have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #state: PlainState;
  readonly #grants: KeptRecords<KeptFor<SandboxGrant>>;
  readonly #followed = new WeakSet<SandboxAttempts>();
  /** Questions and notifications that this window has shown once; rows show the rest. */
  readonly #alreadyShown = new Set<string>();
  /** When each was restarted because of what its sandbox did not protect. */
  readonly #protectedAt = new Map<ServerId, number>();
  /** Questions that are open, one of a kind for a server. */
  readonly #open = new Set<string>();
  /** By `sandboxIdentity`: another program under the name is not watched. */
  readonly #watched = new Set<string>();
  /** By the same: the next start is not confined. */
  readonly #freed = new Set<string>();
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
    storage: Mementos,
    private readonly audit: AuditPort,
    /** Whether calls of a server run. */
    private readonly isBusy: (server: ServerConnection) => boolean,
  ) {
    super();
    this.#state = storage.workspaceState;
    this.#grants = new KeptRecords(new ScopedStorage(storage, GRANTED_KEY), stored =>
      KeptFor.parse(stored, grant => grant as SandboxGrant),
    );
  }

  /** Follows what a confined server is refused from now on. */
  follow(server: ServerConnection): void {
    const { attempts } = server;
    if (!attempts || this.#followed.has(attempts)) return;
    noteConfined(server.id);
    this.#followed.add(attempts);
    attempts.onDidBlock(() => this.#refused(server));
    if (attempts.blocked.length > 0) this.#refused(server);
    attempts.appeared.onDidChange(() => this.#appeared(server));
    if (attempts.appeared.all.length > 0) this.#appeared(server);
    attempts.onDidOutdate(() => {
      if (server.attempts === attempts) this.#protectAnew(server);
    });
  }

  row(server: ServerConnection, attempts: SandboxAttempts): DetailNode {
    return sandboxNode(server, {
      attempts,
      refusals: this.refusals(server),
      appeared: attempts.appeared.all,
      write: this.granted(server.definition).write ?? [],
    });
  }

  refusals({ id, attempts, definition }: ServerConnection): readonly SandboxRefusal[] {
    const kept = this.#kept[id] ?? [];
    const { network = [], sockets } = this.granted(definition);
    const isAllowedNow = ({ kind, what }: BlockedAttempt) =>
      kind === 'sockets' ? sockets === true : kind === 'network' && network.includes(what);
    const blocked = (attempts?.blocked ?? []).filter(attempt => !isAllowedNow(attempt));
    return blocked.map(attempt => {
      const isOpen = attempt.kind === 'write' && attempts?.canChange(dirname(attempt.what));
      const allowances = allowancesFor(attempt, homedir(), existsSync(attempt.what));
      return {
        attempt,
        isKept: kept.includes(keyOf(attempt)),
        // Of a folder that it may change already, only the file itself is left to allow.
        allowances: isOpen ? allowances.filter(allowance => allowance === 'this') : allowances,
      };
    });
  }

  /** The person keeps these blocked: they are no longer counted or shown. */
  async keep(server: ServerConnection, attempts: readonly BlockedAttempt[]): Promise<void> {
    await this.#keep(server.id, attempts);
    this.#changed.fire(server);
  }

  /** The person's grants to a server beside its entry. */
  granted(definition: ServerDefinition): SandboxGrant {
    return this.#grants.get('workspace', definition.id)?.for(programOf(definition)) ?? {};
  }

  /** The person allows this as well, in this workspace. Hosts are reached at once, all else from the next start on. */
  async grant(definition: ServerDefinition, more: SandboxGrant): Promise<void> {
    const { id } = definition;
    const before = this.granted(definition);
    const both = (kind: 'appears' | 'network' | 'write') => [
      ...new Set([...(before[kind] ?? []), ...(more[kind] ?? [])]),
    ];
    const lists = { network: both('network'), write: both('write'), appears: both('appears') };
    await this.#grants.set('workspace', id, new KeptFor(programOf(definition), { ...before, ...more, ...lists }));
    const { write, appears, ...others } = more;
    const files = [...(write ?? []), ...(appears ?? [])];
    this.audit.record({ type: 'sandbox', server: id, what: 'allowed', ...others, ...(files.length > 0 && { files }) });
  }

  /** The person takes a folder back that they had allowed. Restarts the server. */
  async closeFolder(server: ServerConnection, folder: string): Promise<void> {
    const { id, definition } = server;
    const grant = this.#grants.get('workspace', id)?.for(programOf(definition));
    if (!grant) return;
    const write = (grant.write ?? []).filter(path => path !== folder);
    await this.#grants.set('workspace', id, new KeptFor(programOf(definition), { ...grant, write }));
    this.audit.record({ type: 'sandbox', server: id, what: 'revoked', files: [folder] });
    await server.restart(phrase('what you had allowed it was taken back'));
  }

  /** The person keeps something that appeared: it is put back, and may appear there again. @throws as `AppearedPlace.keep` */
  async keepAppeared(server: ServerConnection, place: AppearedPlace): Promise<void> {
    place.keep();
    await this.grant(server.definition, { appears: [place.path] });
  }

  /** The person wants nothing of something that appeared. @throws Node's error if it can't be removed */
  async removeAppeared(server: ServerConnection, place: AppearedPlace): Promise<void> {
    place.remove();
    this.audit.record({ type: 'sandbox', server: server.id, what: 'removed', files: [place.path] });
  }

  /** A confined server wants to reach a host without agreement: resolves with whether it may. */
  askHost(definition: ServerDefinition, host: string): Promise<boolean> {
    const program = sandboxIdentity(definition);
    this.#asking.set(program, definition);
    return this.#questions.wants(program, host);
  }

  /** Revokes the grants of a server, so that it is asked about again. */
  async revoke(id: ServerId): Promise<void> {
    const hadGrant = this.#grants.get('workspace', id) !== undefined;
    await this.#grants.set('workspace', id, undefined);
    if (hadGrant) this.audit.record({ type: 'sandbox', server: id, what: 'revoked' });
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

  /** See `SandboxPort`. */
  runsFreeOnce(definition: ServerDefinition): boolean {
    return this.#freed.delete(sandboxIdentity(definition));
  }

  /** The person starts a server without its sandbox. It is confined again from the start after that. */
  async runUnconfined(server: ServerConnection): Promise<void> {
    this.#freed.add(sandboxIdentity(server.definition));
    this.audit.record({ type: 'sandbox', server: server.id, what: 'allowed', isFree: true });
    await server.restart(phrase('you run it unconfined once'));
  }

  get #kept(): Readonly<Record<ServerId, readonly string[]>> {
    return this.#state.get(KEPT_KEY, {});
  }

  async #keep(id: ServerId, attempts: readonly BlockedAttempt[]): Promise<void> {
    const kept = new Set([...(this.#kept[id] ?? []), ...attempts.map(keyOf)]);
    await this.#state.update(KEPT_KEY, { ...this.#kept, [id]: [...kept] });
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

  /** Restarts a server whose sandbox does not protect what came to be since its start, between its calls. */
  #protectAnew(server: ServerConnection): void {
    const isSoon = Date.now() - (this.#protectedAt.get(server.id) ?? 0) < ANEW_MS;
    if (isSoon || server.state.kind !== 'ready' || this.isBusy(server)) return;
    this.#protectedAt.set(server.id, Date.now());
    void server.restart(phrase('files that it must not change were added or replaced'));
  }

  #refused(server: ServerConnection): void {
    this.#changed.fire(server);
    if (server.attempts?.isWatched) return;
    const open = this.refusals(server).filter(({ isKept }) => !isKept);
    const sockets = open.find(({ attempt }) => attempt.kind === 'sockets');
    // What it may do with a browser, or can't be asked about, is told of once. Hosts are asked about by the proxy.
    const told =
      sockets ??
      open.find(({ attempt: { kind }, allowances }) => kind === 'read' || (kind === 'write' && !allowances.length));
    if (told && this.#isFirst(`${server.id}\ntold`)) {
      if (sockets) void this.#askAboutSockets(server, sockets.attempt);
      else void tellOfRefusal(server, told.attempt);
    }
    void this.#askAboutWriting(server);
  }

  /** Asks about the next folder that it wants to change, one question at a time. */
  async #askAboutWriting(server: ServerConnection): Promise<void> {
    const { id, name, definition } = server;
    const wanted = `${sandboxIdentity(definition)}\nwriting\n`;
    const before = [...this.#alreadyShown].filter(what => what.startsWith(wanted));
    const wish = writeWishes(this.refusals(server)).find(({ path }) => !this.#alreadyShown.has(wanted + path));
    if (!wish || before.length >= MAX_WISHES || !this.#begin(`${id}\nwriting`)) return;
    this.#alreadyShown.add(wanted + wish.path);
    const isSame = noteProgram(server);
    const answer = await askAboutWriting(name, wish).finally(() => this.#open.delete(`${id}\nwriting`));
    if (!isSame()) return;
    if (answer === 'keep') await this.keep(server, wish.attempts);
    if (answer !== 'allow') return this.#askAboutWriting(server);
    await this.allowWriting(server, wish.path, wish.isFolder);
  }

  /** The person allows a server to change a folder or file, beside its entry. Restarts it. */
  async allowWriting(server: ServerConnection, path: string, isFolder: boolean): Promise<void> {
    // What is not there can't be opened to it.
    if (isFolder) await mkdir(path, { recursive: true });
    await this.grant(server.definition, { write: [path] });
    await server.restart(phrase('you allowed what it wanted'));
  }

  #appeared(server: ServerConnection): void {
    this.#changed.fire(server);
    void this.#askAboutAppeared(server);
  }

  /** Asks about what appeared together, one question at a time. */
  async #askAboutAppeared(server: ServerConnection): Promise<void> {
    const question = `${server.id}\nappeared`;
    const appeared = () => server.attempts?.appeared.all ?? [];
    while (appeared().some(({ id }) => !this.#alreadyShown.has(id)) && this.#begin(question)) {
      await sleep(TOGETHER_MS, undefined, { ref: false });
      const places = appeared().filter(({ id }) => this.#isFirst(id));
      const isSame = noteProgram(server);
      const answer = await askAboutAppeared(server, places).finally(() => this.#open.delete(question));
      if (answer === 'keep' && isSame()) await forEachPlace(places, place => this.keepAppeared(server, place));
      if (answer === 'remove') await forEachPlace(places, place => this.removeAppeared(server, place));
    }
  }

  /** Whether this was not asked before in this window; from now on, it was. */
  #isFirst(what: string): boolean {
    return !this.#alreadyShown.has(what) && Boolean(this.#alreadyShown.add(what));
  }

  /** Opens a question, unless it is open. */
  #begin(question: string): boolean {
    return !this.#open.has(question) && Boolean(this.#open.add(question));
  }

  /** One question for everything that a browser needs: it does not work in part. */
  async #askAboutSockets(server: ServerConnection, attempt: BlockedAttempt): Promise<void> {
    const isSame = noteProgram(server);
    const answer = await askAboutSockets(server.name);
    if (!isSame()) return;
    if (answer === 'keep') await this.keep(server, [attempt]);
    if (answer !== 'allow' && answer !== 'any') return;
    await this.grant(server.definition, { sockets: true, ...(answer === 'any' && { network: ['*'] }) });
    await server.restart(phrase('you allowed what it wanted'));
  }
}

const keyOf = ({ kind, what }: BlockedAttempt) => `${kind} ${what}`;

/** Watches a folder for what appears in it, at any depth. @returns a function that ends that */
export function watchFolder(folder: string, appeared: () => void): () => void {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '**');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true, true);
  watcher.onDidCreate(appeared);
  return () => watcher.dispose();
}

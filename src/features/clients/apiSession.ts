import vscode = require('vscode');

import type { McpHostApi, McpRegistration, McpServer, McpServerChange } from '../../../docs/api';
import { getOrInsert } from '../../base/events';
import { orAborted, Queue } from '../../base/queue';
import type { ServerConnection, ServerSet } from '../../host';
import type { AskApproval, PersonsAnswer } from '../trust';
import { ApiError, apiError } from './apiError';
import type { ClientIdentity } from './core/clients';
import { checkedDefinitions, untilThere, untilUp } from './ownServers';

/** Requests of one extension at once; the others wait. */
const MAX_RUNNING = 8;
const MAX_WAITING = 100;
/** Subscriptions and additions of servers at once. */
const MAX_KEPT = 500;
/** Questions about calls that the person denied or closed, one after the other: then there are no more in this window. */
const MAX_REFUSED = 5;

interface SessionServices {
  readonly servers: ServerSet;
  readonly ask: AskApproval;
  /** Whether the person still allows it: another window may have revoked it. */
  readonly isAllowed: (client: ClientIdentity) => boolean;
  readonly serverOf: (server: ServerConnection, session: ApiSession) => McpServer;
  readonly register: (client: ClientIdentity, servers: Readonly<Record<string, object>>) => vscode.Disposable;
}

/** The API state of one extension until the person revokes its access. */
export class ApiSession {
  readonly api: McpHostApi;
  readonly #queue = new Queue({
    limit: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    refused: why =>
      why === 'full'
        ? new ApiError('BUSY', `More than ${MAX_WAITING} requests of ${this.client.id} are waiting.`)
        : cancelled(),
  });
  readonly #questions = new Queue();
  readonly #running = new Set<AbortController>();
  readonly #handles = new WeakMap<ServerConnection, McpServer>();
  readonly #serversChanged = new vscode.EventEmitter<void>();
  readonly #serverChanged = new vscode.EventEmitter<McpServerChange>();
  readonly #revoked = new vscode.EventEmitter<void>();
  readonly #listening: vscode.Disposable;
  readonly #kept = new Set<vscode.Disposable>();
  #refused = 0;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  constructor(
    readonly client: ClientIdentity,
    private readonly services: SessionServices,
  ) {
    const { servers } = services;
    const all = () => this.#all();
    this.#listening = servers.onDidChange(change => {
      if (change) this.#serverChanged.fire({ server: this.#handle(change.server), what: change.what });
      else this.#serversChanged.fire();
    });
    this.api = Object.freeze<McpHostApi>({
      get servers() {
        return all();
      },
      onDidChangeServers: this.#serversChanged.event,
      onDidChangeServer: this.#serverChanged.event,
      onDidRevoke: this.#revoked.event,
      registerServerDefinitions: definitions => this.#register(definitions),
    });
  }

  /** @throws ApiError `REVOKED` */
  assertAllowed(): void {
    if (!this.#isOver && !this.services.isAllowed(this.client)) this.end();
    if (this.#isOver) throw revoked(this.client);
  }

  /** Runs a request when its turn comes. Rejects with an `ApiError`, at once when it is cancelled or revoked. */
  run<T>(token: vscode.CancellationToken | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.wait(token, signal => this.#queue.run(() => act(signal), signal));
  }

  /** Runs what takes no turn: it waits for a person or a server. Rejects like `run`. */
  async wait<T>(token: vscode.CancellationToken | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.assertAllowed();
    if (this.#running.size >= MAX_RUNNING + MAX_WAITING + MAX_KEPT)
      throw new ApiError('BUSY', `${this.client.id} waits for too much at once.`);
    const abort = new AbortController();
    const cancelling = token?.onCancellationRequested(() => abort.abort(cancelled()));
    if (token?.isCancellationRequested) abort.abort(cancelled());
    this.#running.add(abort);
    const { signal } = abort;
    try {
      signal.throwIfAborted();
      return await orAborted(act(signal), signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : apiError(error);
    } finally {
      this.#running.delete(abort);
      cancelling?.dispose();
    }
  }

  /** Asks the person about a call: one question at a time, and none after they have refused several in a row. */
  readonly ask: AskApproval = (call, pin) =>
    this.#questions.run(async (): Promise<PersonsAnswer | undefined> => {
      if (this.#isOver || this.#refused >= MAX_REFUSED) return undefined;
      const answer = await this.services.ask(call, pin);
      this.#refused = answer?.answer === 'allow' ? 0 : this.#refused + 1;
      return answer;
    });

  /** Begins what ends with the session, unless disposed before. @throws ApiError `BUSY` when there is too much. */
  keep(begin: () => vscode.Disposable): vscode.Disposable {
    this.assertAllowed();
    if (this.#kept.size >= MAX_KEPT) {
      const what = `${this.client.id} has ${MAX_KEPT} subscriptions and additions of servers`;
      throw new ApiError('BUSY', `${what}. Dispose some of them first.`);
    }
    const disposable = begin();
    this.#kept.add(disposable);
    return new vscode.Disposable(() => {
      if (this.#kept.delete(disposable)) disposable.dispose();
    });
  }

  /** The person has revoked it: what runs ends. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const abort of this.#running) abort.abort(revoked(this.client));
    this.#listening.dispose();
    for (const disposable of this.#kept) disposable.dispose();
    this.#kept.clear();
    this.#revoked.fire();
    for (const emitter of [this.#serversChanged, this.#serverChanged, this.#revoked]) emitter.dispose();
  }

  #register(definitions: unknown): McpRegistration {
    this.assertAllowed();
    const { names, copy } = checkedDefinitions(this.client.id, definitions);
    const kept = this.keep(() => this.services.register(this.client, copy));
    const { servers } = this.services;
    const removed = new vscode.CancellationTokenSource();
    const ready = this.wait(removed.token, signal =>
      Promise.all(
        names.map(async name => {
          const server = await untilThere(servers, one => isOf(this.client, one) && one.name === name, signal);
          await untilUp(server, signal);
          return this.#handle(server);
        }),
      ),
    );
    // An extension need not use it.
    ready.catch(() => {});
    const dispose = () => {
      removed.cancel();
      kept.dispose();
    };
    return Object.freeze({ ready, dispose });
  }

  #all(): readonly McpServer[] {
    this.assertAllowed();
    return this.services.servers.all.map(server => this.#handle(server));
  }

  #handle(server: ServerConnection): McpServer {
    return getOrInsert(this.#handles, server, () => this.services.serverOf(server, this));
  }
}

/** Whether the extension has added the server, in code or in its manifest. */
export const isOf = ({ id }: Pick<ClientIdentity, 'id'>, { definition: { source } }: ServerConnection): boolean =>
  source.scope === 'extension' && source.folder?.name.toLowerCase() === id;

const cancelled = () => new ApiError('CANCELLED', 'The request was cancelled.');
const revoked = ({ id }: ClientIdentity) =>
  new ApiError('REVOKED', `The user has revoked the use of the MCP servers by ${id}.`);

import vscode = require('vscode');

import type { McpHostApi, McpServer, McpServerChange } from '../../../docs/api';
import { isObject } from '../../base/isObject';
import { Queue } from '../../base/queue';
import type { ServerConnection, ServerSet } from '../../host';
import type { AskPerson, PersonsAnswer } from '../trust';
import { ApiError, apiError, copyOf } from './apiError';
import type { ClientIdentity } from './core/clients';

/** Requests of one extension at once; the others wait. */
const MAX_RUNNING = 8;
const MAX_WAITING = 100;
/** Subscriptions and additions of servers at once. */
const MAX_KEPT = 500;
/** Questions about calls that the person denied or closed, one after the other: then there are no more in this window. */
const MAX_REFUSED = 5;

export interface SessionServices {
  readonly servers: ServerSet;
  readonly ask: AskPerson;
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
  /** One question at a time. */
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

  /** Whether it has ended. */
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
      registerServerDefinitions: definitions => {
        if (!isObject(definitions)) throw new ApiError('INVALID', 'The definitions are no object.');
        return this.keep(() => services.register(this.client, copyOf(definitions)));
      },
    });
  }

  /** @throws ApiError `REVOKED` */
  assertAllowed(): void {
    if (!this.#isOver && !this.services.isAllowed(this.client)) this.end();
    if (this.#isOver) throw revoked(this.client);
  }

  /** Runs a request when its turn comes. Rejects with an `ApiError`, at once when it is cancelled or revoked. */
  async run<T>(token: vscode.CancellationToken | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.assertAllowed();
    const abort = new AbortController();
    const cancelling = token?.onCancellationRequested(() => abort.abort(cancelled()));
    if (token?.isCancellationRequested) abort.abort(cancelled());
    this.#running.add(abort);
    const { signal } = abort;
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    try {
      signal.throwIfAborted();
      return await Promise.race([this.#queue.run(() => act(signal), signal), aborted]);
    } catch (error) {
      throw signal.aborted ? signal.reason : apiError(error);
    } finally {
      this.#running.delete(abort);
      cancelling?.dispose();
    }
  }

  /** Asks the person about a call: one question at a time, and none after they have refused several in a row. */
  readonly ask: AskPerson = (call, pin) =>
    this.#questions.run(async (): Promise<PersonsAnswer | undefined> => {
      if (this.#isOver || this.#refused >= MAX_REFUSED) return undefined;
      const answer = await this.services.ask(call, pin);
      this.#refused = answer?.answer === 'allow' ? 0 : this.#refused + 1;
      return answer;
    });

  /**
   * Begins something that ends with the session, unless disposed before.
   * @throws ApiError `BUSY` when there is too much of it.
   */
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

  #all(): readonly McpServer[] {
    this.assertAllowed();
    return this.services.servers.all.map(server => this.#handle(server));
  }

  #handle(server: ServerConnection): McpServer {
    const handle = this.#handles.get(server) ?? this.services.serverOf(server, this);
    this.#handles.set(server, handle);
    return handle;
  }
}

const cancelled = () => new ApiError('CANCELLED', 'The request was cancelled.');
const revoked = ({ id }: ClientIdentity) =>
  new ApiError('REVOKED', `The user has revoked the use of the MCP servers by ${id}.`);

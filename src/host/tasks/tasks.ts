import type { CallToolResult, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { HostClient } from '../sdk/hostClient';
import type { SentRequest } from '../sdk/sentRequests';
import { readTask, type Task, type TaskOptions, taskError } from './taskState';

/** What following needs of the client whose call became a task. */
export interface TaskPeer {
  readonly client: HostClient;
  /** The check of the final result. */
  readonly toolResult: StandardSchemaV1<unknown, unknown>;
  /** The call: the token of its progress stays valid as long as the task. Undefined when there was none just now. */
  readonly call: SentRequest | undefined;
  /** The error of a request on a connection that is closed. */
  closed(): Error;
}

/** A task without a `ttl` is followed no longer than this. */
const MAX_TASK_MS = 24 * 3_600_000;
/** A server that has let its task outlive the `ttl` may still have the last word. */
const GRACE_MS = 5_000;
/** After the end of a task its result, which was asked for before, is there within this time. */
const RESULT_MS = 2_000;
/** Failures to ask in a row after which a task is given up. */
const MAX_MISSES = 3;
/** More is not asked of a person for one task. */
const MAX_INPUTS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;

const anything: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-host', validate: value => ({ value }) },
};

/**
 * Follows the task that a tool call has become until it has a result (spec: 2025-11-25 basic/utilities/tasks; 2026-07-28
 * extension io.modelcontextprotocol/tasks). The server's interval between questions is kept to, what it asks of the person
 * is answered, its words on the state are reported as progress. An aborted signal cancels the task. A bundle of its own
 * (esbuild.js), loaded with the first task.
 *
 * @param created the task as the server answered it; undefined to ask for the one with `options.taskId`.
 * @throws PhraseError that says how the task ended without a result, or the SDK's own when the server can't be asked.
 */
export function followTask(peer: TaskPeer, created: unknown, options: TaskOptions = {}): Promise<unknown> {
  return new Following(peer, options).run(created);
}

/** Those who wait for a word on their task, by client: see `notifications/tasks/status`. */
const waiting = new WeakMap<HostClient, Map<string, () => void>>();

type Outcome = { readonly value: unknown } | { readonly error: unknown };

class Following {
  readonly #isModern: boolean;
  readonly #ended = new AbortController();
  readonly #startedAt = Date.now();
  #id: string;
  /** Lets the next question be asked at once. */
  #wake: () => void = () => undefined;
  /** What came of `tasks/result` (legacy), or why an input could not be given (modern). */
  #outcome: Outcome | undefined;
  #startedAsking = false;
  readonly #answered = new Set<string>();
  #message: string | undefined;
  #progress = 0;
  #reports = 0;

  constructor(
    private readonly peer: TaskPeer,
    private readonly options: TaskOptions,
  ) {
    this.#isModern = peer.client.getProtocolEra() === 'modern';
    this.#id = options.taskId ?? '';
  }

  async run(created: unknown): Promise<unknown> {
    const { signal, onTask } = this.options;
    const abort = () => {
      this.#cancel();
      this.#ended.abort();
    };
    signal?.addEventListener('abort', abort);
    try {
      let task = created === undefined ? await this.#get() : readTask(created, this.#isModern);
      this.#id = task.id;
      onTask?.(task.id);
      this.#listen();
      while (!signal?.aborted) {
        this.#report(task);
        const end = this.#isModern ? this.#lookModern(task) : await this.#lookLegacy(task);
        if (end) return await this.#check(end.value);
        const leftMs = this.#startedAt + (task.ttlMs ?? MAX_TASK_MS) + GRACE_MS - Date.now();
        if (leftMs <= 0) {
          this.#cancel();
          throw taskError(phrase('its task did not end in its time'), task);
        }
        await this.#sleep(Math.min(task.pollMs, leftMs));
        if (signal?.aborted) break;
        if (this.#outcome && 'value' in this.#outcome) return await this.#check(this.#outcome.value);
        task = await this.#get();
      }
      throw signal?.reason;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#ended.abort();
      waiting.get(this.peer.client)?.delete(this.#id);
    }
  }

  /** Legacy: `tasks/result` waits on the server until the task is over, and is what a server asks the person on. */
  async #lookLegacy(task: Task): Promise<{ value: unknown } | undefined> {
    const outcome = this.#outcome;
    if (task.status === 'cancelled') throw taskError(phrase('its task was cancelled'), task);
    if (!task.isOver) {
      // It may have been cut off while the task goes on. Then only questions to the person need it before the end.
      if (this.#startedAsking && !(outcome && task.status === 'input_required')) return undefined;
      this.#askForResult();
      return undefined;
    }
    if (this.#startedAsking && !outcome) await this.#sleep(RESULT_MS);
    const late = this.#outcome;
    if (late && 'value' in late) return late;
    try {
      return { value: await this.#send('tasks/result') };
    } catch (error) {
      throw task.status === 'failed' && task.message
        ? taskError(phrase('its task failed'), task, { cause: error })
        : error;
    }
  }

  #askForResult(): void {
    this.#startedAsking = true;
    this.#outcome = undefined;
    const settle = (outcome: Outcome) => {
      this.#outcome = outcome;
      this.#wake();
    };
    this.#send('tasks/result', undefined, MAX_TIMER_MS).then(
      value => settle({ value }),
      error => settle({ error }),
    );
  }

  /** Modern: the state has all with it. */
  #lookModern(task: Task): { value: unknown } | undefined {
    if (this.#outcome && 'error' in this.#outcome) {
      this.#cancel();
      throw this.#outcome.error;
    }
    if (task.status === 'completed') return { value: task.raw.result };
    if (task.status === 'cancelled') throw taskError(phrase('its task was cancelled'), task);
    if (task.status === 'failed') {
      const { code, message } = Object(task.raw.error) as { code?: unknown; message?: unknown };
      throw new PhraseError(phrase('its task failed with error {0}, {1}', String(code), messageOf(message)));
    }
    if (task.status === 'input_required') {
      for (const [key, request] of Object.entries(Object(task.raw.inputRequests) as object)) {
        if (this.#answered.has(key)) continue;
        this.#answered.add(key);
        this.#answer(key, request).catch(error => {
          this.#outcome = { error };
          this.#wake();
        });
      }
    }
    return undefined;
  }

  async #answer(key: string, request: unknown): Promise<void> {
    if (this.#answered.size > MAX_INPUTS)
      throw new PhraseError(phrase('its task asks for more than {0} inputs', MAX_INPUTS));
    const { method } = Object(request) as { method?: unknown };
    // Nothing else may be asked for that way (spec: basic/patterns/mrtr).
    const isInput = method === 'roots/list' || method === 'sampling/createMessage' || method === 'elicitation/create';
    const name = visible(JSON.stringify(method), 100);
    const nothing = phrase('its task asks for {0}, which nothing here answers', name);
    if (!isInput) throw new PhraseError(nothing);
    const update = { method: 'tasks/update', params: { taskId: this.#id } };
    const options = { ...this.#limit(), signal: this.#ended.signal };
    await this.peer.client.requestWithInput(update, anything, { [key]: request }, options).catch(error => {
      throw error.code === 'CAPABILITY_NOT_SUPPORTED' ? new PhraseError(nothing, { cause: error }) : error;
    });
    this.#wake();
  }

  async #get(): Promise<Task> {
    for (let misses = 1; ; misses++) {
      try {
        return readTask(await this.#send('tasks/get'), this.#isModern, this.#id);
      } catch (error) {
        if (misses >= MAX_MISSES || !isPassing(error) || this.options.signal?.aborted) throw error;
        await this.#sleep(1_000 * misses);
      }
    }
  }

  #cancel(): void {
    const { client } = this.peer;
    if (!this.#isModern && !client.getServerCapabilities()?.tasks?.cancel) return;
    const request = { method: 'tasks/cancel', params: { taskId: this.#id } };
    client.request(request, anything, this.#limit()).catch(() => {
      // It is no longer there to be cancelled, or the server is not.
    });
  }

  async #send(method: string, more?: object, timeout?: number): Promise<unknown> {
    if (!this.peer.client.transport) throw this.peer.closed();
    const request = { method, params: { taskId: this.#id, ...more } };
    return this.peer.client.request(request, anything, { ...this.#limit(timeout), signal: this.#ended.signal });
  }

  #limit(timeout = this.options.timeout): { timeout?: number } {
    return timeout === undefined ? {} : { timeout };
  }

  async #check(value: unknown): Promise<unknown> {
    const checked = await this.peer.toolResult['~standard'].validate(value);
    if (!checked.issues) return checked.value as CallToolResult;
    throw new PhraseError(phrase('the result of its task is not one: {0}', messageOf(checked.issues[0]?.message)));
  }

  /** Until the time is over, the server says something of the task, or the person gives it up. */
  #sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        this.#ended.signal.removeEventListener('abort', done);
        this.#wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, MAX_TIMER_MS));
      this.#wake = done;
      this.#ended.signal.addEventListener('abort', done);
      if (this.#ended.signal.aborted) done();
    });
  }

  #listen(): void {
    const { client, call } = this.peer;
    if (call) {
      call.onprogress = progress => {
        this.#progress = Math.max(this.#progress, progress.progress);
        this.options.onprogress?.(progress);
      };
    }
    if (this.#isModern) return;
    let listeners = waiting.get(client);
    if (!listeners) {
      const found = new Map<string, () => void>();
      waiting.set(client, found);
      listeners = found;
      // Only a hint: the state is asked for all the same, no sooner than a moment later.
      const hint = ({ taskId }: { taskId: string }) => void setTimeout(() => found.get(taskId)?.(), 200).unref();
      client.setNotificationHandler('notifications/tasks/status', { params: taskParams }, hint);
    }
    listeners.set(this.#id, () => this.#wake());
  }

  /** What the server says of the state, as progress that grows a little. */
  #report({ message }: Task): void {
    if (message === undefined || message === this.#message) return;
    this.#message = message;
    this.options.onprogress?.({ progress: this.#progress + ++this.#reports * 1e-6, message });
  }
}

const taskParams: StandardSchemaV1<unknown, { taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-host',
    validate: value => ({ value: { taskId: String((Object(value) as { taskId?: unknown }).taskId) } }),
  },
};

/** Whether a question may be answered if it is asked again: no answer in time, no way to the server, or one overloaded. */
function isPassing(error: unknown): boolean {
  const { code, status } = Object(error) as { code?: unknown; status?: unknown };
  return (
    code === 'REQUEST_TIMEOUT' ||
    code === 'UNREACHABLE' ||
    (typeof status === 'number' && (status === 429 || status >= 500))
  );
}

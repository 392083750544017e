import {
  type CallToolResult,
  type Client,
  type Request,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { MAX_TIMER_MS } from '../../base/numberText';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { anyResult, schemaOf } from '../reading/carried';
import type { SentRequest, TaskOptions } from './sentRequests';

interface TaskClient extends Client {
  readonly reader: { call(result: unknown): CallToolResult };
  requestWithInput<T>(
    request: Request,
    schema: StandardSchemaV1<unknown, T>,
    inputRequests: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<T>;
}

/** How long a task without a `ttl` is followed. */
const MAX_TASK_MS = 24 * 3_600_000;
/** How long after the `ttl` the server may still give a result. */
const GRACE_MS = 5_000;
/** How long after the end of a task its result, requested before, may take. */
const RESULT_MS = 2_000;
/** How many failed polls in a row make us give up a task. */
const MAX_MISSES = 3;
/** The most questions to a person for one task. */
const MAX_INPUTS = 100;

/**
 * Follows the task that a tool call has become until it has a result (spec: 2025-11-25 basic/utilities/tasks; 2026-07-28
 * extension io.modelcontextprotocol/tasks). It keeps to the server's polling interval, has its questions to the person
 * answered, and reports its status messages as progress. Aborting the signal cancels the task. Loaded with the first task.
 *
 * @param call its progress token stays valid as long as the task. Undefined if the call was made earlier.
 * @param created the task as the server answered it; undefined to ask for the one with `options.taskId`.
 * @throws PhraseError that says how the task ended without a result, or the SDK's own when the server can't be asked.
 */
export function followTask(
  client: TaskClient,
  call: SentRequest | undefined,
  created: unknown,
  options: TaskOptions = {},
): Promise<CallToolResult> {
  return new Following(client, call, options).run(created);
}

export function cancelTask(client: TaskClient, taskId: string, options: RequestOptions = {}): void {
  if (client.getProtocolEra() !== 'modern' && !client.getServerCapabilities()?.tasks?.cancel) return;
  client.request({ method: 'tasks/cancel', params: { taskId } }, anyResult, options).catch(() => {
    // The task or the server is gone.
  });
}

/** Who is waiting for news about a task, by client: see `notifications/tasks/status`. */
const waiting = new WeakMap<TaskClient, Map<string, () => void>>();

type Outcome = { readonly value: unknown } | { readonly error: unknown };

class Following {
  readonly #isModern: boolean;
  readonly #ended = new AbortController();
  /** As of `performance.now()`: the clock may be set, or jump after a sleep. */
  readonly #startedAt = performance.now();
  #id: string;
  /** Makes the next poll happen at once. */
  #wake: () => void = () => undefined;
  /** The outcome of `tasks/result` (legacy), or why an input could not be given (modern). */
  #outcome: Outcome | undefined;
  #startedAsking = false;
  readonly #answered = new Set<string>();
  #message: string | undefined;
  #progress = 0;
  #reports = 0;

  constructor(
    private readonly client: TaskClient,
    private readonly call: SentRequest | undefined,
    private readonly options: TaskOptions,
  ) {
    this.#isModern = client.getProtocolEra() === 'modern';
    this.#id = options.taskId ?? '';
  }

  async run(created: unknown): Promise<CallToolResult> {
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
      // A task may end before it is announced, without revealing its result.
      if (this.#isModern && created !== undefined && task.isOver) task = await this.#get();
      while (!signal?.aborted) {
        this.#report(task);
        const end = this.#isModern ? this.#lookModern(task) : await this.#lookLegacy(task);
        if (end) return this.client.reader.call(end.value);
        const leftMs = this.#startedAt + (task.ttlMs ?? MAX_TASK_MS) + GRACE_MS - performance.now();
        if (leftMs <= 0) {
          this.#cancel();
          throw taskError(phrase('its task did not finish in time'), task);
        }
        await this.#sleep(Math.min(task.pollMs, leftMs));
        if (signal?.aborted) break;
        if (this.#outcome && 'value' in this.#outcome) return this.client.reader.call(this.#outcome.value);
        task = await this.#get();
      }
      throw signal?.reason;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#ended.abort();
      waiting.get(this.client)?.delete(this.#id);
    }
  }

  /** Legacy: `tasks/result` waits until the task is over, and carries the server's questions to the person. */
  async #lookLegacy(task: Task): Promise<{ value: unknown } | undefined> {
    const outcome = this.#outcome;
    if (task.status === 'cancelled') throw taskError(phrase('its task was cancelled'), task);
    if (!task.isOver) {
      // It may have been cut off while the task goes on. Before the end, it is only needed for questions to the person.
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

  /** Modern: the state contains everything. */
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
      const asked = Object(task.raw.inputRequests) as Record<string, unknown>;
      for (const key of Object.keys(asked)) {
        if (this.#answered.has(key)) continue;
        // The one more than there may be has ended the task.
        if (this.#answered.size > MAX_INPUTS) break;
        this.#answered.add(key);
        this.#answer(key, asked[key]).catch(error => {
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
    const nothing = phrase('its task asks for {0}, which is not supported here', name);
    if (!isInput) throw new PhraseError(nothing);
    const update = { method: 'tasks/update', params: { taskId: this.#id } };
    const options = { ...this.#limit(), signal: this.#ended.signal };
    await this.client.requestWithInput(update, anyResult, { [key]: request }, options).catch(error => {
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
    cancelTask(this.client, this.#id, this.#limit());
  }

  async #send(method: string, more?: object, timeout?: number): Promise<unknown> {
    if (!this.client.transport) throw new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
    const request = { method, params: { taskId: this.#id, ...more } };
    return this.client.request(request, anyResult, { ...this.#limit(timeout), signal: this.#ended.signal });
  }

  #limit(timeout = this.options.timeout): { timeout?: number } {
    return timeout === undefined ? {} : { timeout };
  }

  /** Waits until the time is over, the server reports something about the task, or the person gives up. */
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
    const { client, call } = this;
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
      // Only a hint: the state is polled all the same, but not immediately.
      const hint = ({ taskId }: { taskId: string }) => void setTimeout(() => found.get(taskId)?.(), 200).unref();
      client.setNotificationHandler('notifications/tasks/status', { params: taskParams }, hint);
    }
    listeners.set(this.#id, () => this.#wake());
  }

  /** Reports the server's status message as progress that grows a little. */
  #report({ message }: Task): void {
    if (message === undefined || message === this.#message) return;
    this.#message = message;
    this.options.onprogress?.({ progress: this.#progress + ++this.#reports * 1e-6, message });
  }
}

const taskParams = schemaOf(value => ({
  value: { taskId: String((Object(value) as { taskId?: unknown }).taskId) },
}));

/** Whether polling again may succeed: after a timeout, a network failure, or an overloaded server. */
function isPassing(error: unknown): boolean {
  const { code, status } = Object(error) as { code?: unknown; status?: unknown };
  return (
    code === 'REQUEST_TIMEOUT' ||
    code === 'UNREACHABLE' ||
    (typeof status === 'number' && (status === 429 || status >= 500))
  );
}

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** The state of a task as reported by a server, in either era. Times are in milliseconds. */
interface Task {
  readonly id: string;
  readonly status: (typeof STATUSES)[number];
  readonly isOver: boolean;
  readonly message: string | undefined;
  /** How long the server keeps it, from its creation; undefined: forever. */
  readonly ttlMs: number | undefined;
  /** How long to wait before polling it again. */
  readonly pollMs: number;
  /** Everything that the server said, including `result`, `error` and `inputRequests` (modern era). */
  readonly raw: Readonly<Record<string, unknown>>;
}

const DEFAULT_POLL_MS = 1_000;
/** The shortest interval of polling, whatever the server asks for. */
const MIN_POLL_MS = 250;
const MAX_POLL_MS = 3_600_000;
const MAX_ID_LENGTH = 4_096;

/**
 * Reads a task from an answer, which may be anything.
 *
 * @param id given if the task is known.
 * @throws PhraseError that completes "could not …: ".
 */
function readTask(value: unknown, isModern: boolean, id?: string): Task {
  const raw = Object(value) as Record<string, unknown>;
  const { taskId, status: sent, statusMessage } = raw;
  const status = STATUSES.find(one => one === sent);
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID_LENGTH)
    throw new PhraseError(phrase('its task has no id'));
  if (id && taskId !== id) throw new PhraseError(phrase('it returned a different task than the one requested'));
  if (!status) throw new PhraseError(phrase('the status of its task is {0}', visible(JSON.stringify(sent), 100)));
  const ttl = isModern ? raw.ttlMs : raw.ttl;
  const poll = isModern ? raw.pollIntervalMs : raw.pollInterval;
  return {
    id: taskId,
    status,
    isOver: status !== 'working' && status !== 'input_required',
    message: typeof statusMessage === 'string' && statusMessage !== '' ? statusMessage : undefined,
    ttlMs: typeof ttl === 'number' && ttl >= 0 ? ttl : undefined,
    pollMs: typeof poll === 'number' ? Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, poll)) : DEFAULT_POLL_MS,
    raw,
  };
}

/** An error that says how a task ended, with what the server said of that. */
function taskError(how: Phrase, { message }: Task, options?: ErrorOptions): PhraseError {
  return new PhraseError(message === undefined ? how : phrase('{0}: {1}', how, visible(message, 300)), options);
}

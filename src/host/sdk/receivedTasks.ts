import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../base/errors';
import { RateAllowance } from '../../base/rateAllowance';

/** The parts of a connection that tasks of a server need. */
interface TaskHost {
  /** The methods for which tasks were declared. */
  readonly methods: ReadonlySet<string>;
  send(message: JSONRPCMessage): void;
  /** Hands to the SDK, as if it had come from the server. */
  deliver(message: JSONRPCMessage): void;
  log(said: string, level?: 'info' | 'warning'): void;
}

type Params = Readonly<Record<string, unknown>>;
type Outcome = { readonly result: Params } | { readonly error: { code: number; message: string; data?: unknown } };

/** The longest time for which a task is kept, from its creation; also that of tasks for which the server asks for none. */
export const MAX_TTL_MS = 3_600_000;
const MIN_TTL_MS = 1_000;
/** The most tasks that are kept for one server. */
export const MAX_TASKS = 50;
/** The most requests for results that wait at once. */
const MAX_WAITING = 100;
/** Requests about tasks: so many at once, and then so many in a second. Who follows fifty tasks as asked needs no more than that. */
const BURST = 500;
const PER_SECOND = 100;
/** After this many requests for unknown tasks, the person is informed: the server may be guessing ids. */
const MANY_UNKNOWN = 20;
const PAGE = 20;
const POLL_MS = 1_000;
const MAX_MESSAGE = 500;

const CANCELLED = 'The task was cancelled.';

class ReceivedTask {
  readonly id = randomUUID();
  readonly createdAt = new Date().toISOString();
  lastUpdatedAt = this.createdAt;
  status: 'working' | 'completed' | 'failed' | 'cancelled' = 'working';
  statusMessage: string | undefined = 'The person or a language model has not answered yet.';
  outcome: Outcome | undefined;
  /** Whether the server has got the outcome. */
  isTold = false;
  timer: NodeJS.Timeout | undefined;

  constructor(
    readonly method: string,
    readonly ttl: number,
  ) {}

  get state() {
    const { id: taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl } = this;
    return {
      taskId,
      status,
      ...(statusMessage && { statusMessage }),
      createdAt,
      lastUpdatedAt,
      ttl,
      pollInterval: POLL_MS,
    };
  }
}

/**
 * The tasks of one session in which the host is the receiver (spec: 2025-11-25 basic/utilities/tasks): requests of the server
 * that are answered at once with a task, and are then processed like any other, by the SDK and the handlers registered with it.
 * The SDK gets each under the id of its task, which identifies its answer. Loaded with the first task.
 */
export class ReceivedTasks {
  /** The oldest first. */
  readonly #tasks = new Map<string, ReceivedTask>();
  /** Requests that wait for the end of a task, by their ids. */
  readonly #waiting = new Map<RequestId, string>();

  readonly #rate = new RateAllowance(BURST, PER_SECOND);
  #unknown = 0;
  readonly #told = new Set<string>();

  /** @param now a monotonic clock, in milliseconds. */
  constructor(
    private readonly host: TaskHost,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Answers a request of the server that makes a task, or is about one. False: it is neither. */
  received({ id, method, params = {} }: JSONRPCRequest): boolean {
    if (method.startsWith('tasks/') && !this.#rate.use(this.now())) {
      this.#limit(id, INTERNAL_ERROR, `At most ${PER_SECOND} requests about tasks are answered in a second.`);
      return true;
    }
    switch (method) {
      case 'tasks/get':
        this.#about(id, params, task => this.#answer(id, { result: task.state }));
        break;
      case 'tasks/result':
        this.#about(id, params, task => this.#result(id, task));
        break;
      case 'tasks/cancel':
        this.#about(id, params, task => this.#cancel(id, task));
        break;
      case 'tasks/list':
        this.#list(id, params.cursor);
        break;
      default:
        if (!this.host.methods.has(method) || typeof params.task !== 'object' || params.task === null) return false;
        this.#create(id, method, params);
    }
    return true;
  }

  /** Keeps the SDK's answer to the request of a task. False: it is for the server. */
  answered(message: JSONRPCMessage): boolean {
    if ('method' in message) return false;
    const task = this.#tasks.get(String(message.id));
    if (!task) return false;
    if (task.status === 'working') {
      if ('error' in message) this.#end(task, 'failed', { error: message.error }, message.error.message);
      else this.#end(task, 'completed', { result: message.result });
    }
    return true;
  }

  /** The server no longer wants this request answered. */
  cancelled(id: unknown): void {
    this.#waiting.delete(id as RequestId);
  }

  close(): void {
    for (const { timer } of this.#tasks.values()) clearTimeout(timer);
    this.#tasks.clear();
    this.#waiting.clear();
  }

  #create(id: RequestId, method: string, { task: asked, ...params }: Params): void {
    const { ttl } = asked as { ttl?: unknown };
    if (this.#tasks.size >= MAX_TASKS && !this.#forgetOne()) {
      this.#limit(id, INTERNAL_ERROR, `There are ${MAX_TASKS} tasks already; no more are kept for one server.`);
      return;
    }
    const wanted = typeof ttl === 'number' && ttl >= 0 ? ttl : MAX_TTL_MS;
    const task = new ReceivedTask(method, Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, wanted)));
    this.#tasks.set(task.id, task);
    task.timer = setTimeout(() => this.#expire(task), task.ttl);
    task.timer.unref();
    this.host.log(`its ${method} is task ${task.id}`);
    this.#answer(id, { result: { task: task.state } });
    this.host.deliver({ jsonrpc: '2.0', id: task.id, method, params });
  }

  /** Makes room: what the server has got is not needed any more. */
  #forgetOne(): boolean {
    const told = [...this.#tasks.values()].find(({ isTold }) => isTold);
    if (told) this.#forget(told);
    return told !== undefined;
  }

  #about(id: RequestId, { taskId }: Params, then: (task: ReceivedTask) => void): void {
    const task = typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined;
    if (task) {
      then(task);
      return;
    }
    if (++this.#unknown === MANY_UNKNOWN)
      this.host.log(`it has asked for tasks that are not there ${MANY_UNKNOWN} times`, 'warning');
    this.#refuse(id, INVALID_PARAMS, 'Task not found: there never was one with this id, or its time is over.');
  }

  /** Refuses what goes beyond a limit; the log has each limit once. */
  #limit(id: RequestId, code: number, message: string): void {
    if (!this.#told.has(message)) this.host.log(`a limit for its tasks is reached: ${message}`, 'warning');
    this.#told.add(message);
    this.#refuse(id, code, message);
  }

  #result(id: RequestId, task: ReceivedTask): void {
    if (task.outcome) this.#tell(id, task, task.outcome);
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(id, task.id);
    else this.#limit(id, INTERNAL_ERROR, `${MAX_WAITING} requests wait for results of tasks already.`);
  }

  #cancel(id: RequestId, task: ReceivedTask): void {
    if (task.status !== 'working') {
      this.#refuse(id, INVALID_PARAMS, `Cannot cancel task: already in terminal status '${task.status}'`);
      return;
    }
    this.#stop(task);
    this.#answer(id, { result: task.state });
  }

  #list(id: RequestId, cursor: unknown): void {
    const all = [...this.#tasks.values()];
    const last = cursor === undefined ? -1 : all.findIndex(task => task.id === cursor);
    if (cursor !== undefined && last === -1) {
      this.#refuse(id, INVALID_PARAMS, 'Invalid cursor');
      return;
    }
    const page = all.slice(last + 1, last + 1 + PAGE);
    const isMore = last + 1 + PAGE < all.length;
    const tasks = page.map(({ state }) => state);
    this.#answer(id, { result: { tasks, ...(isMore && { nextCursor: page.at(-1)!.id }) } });
  }

  #expire(task: ReceivedTask): void {
    if (task.status === 'working') this.#stop(task);
    this.#forget(task);
    this.host.log(`task ${task.id} is over: its time has run out`);
  }

  /** Stops the work on it; later results are ignored. */
  #stop(task: ReceivedTask): void {
    this.#end(task, 'cancelled', { error: { code: INTERNAL_ERROR, message: CANCELLED } }, CANCELLED);
    const params = { requestId: task.id, reason: CANCELLED };
    this.host.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  #end(task: ReceivedTask, status: ReceivedTask['status'], outcome: Outcome, statusMessage?: string): void {
    Object.assign(task, { status, outcome, statusMessage: statusMessage?.slice(0, MAX_MESSAGE) });
    task.lastUpdatedAt = new Date().toISOString();
    this.host.log(`task ${task.id} is ${status}`);
    this.host.send({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: task.state });
    for (const [id, taskId] of this.#waiting) if (taskId === task.id) this.#tell(id, task, outcome);
  }

  #tell(id: RequestId, task: ReceivedTask, outcome: Outcome): void {
    this.#waiting.delete(id);
    if (!task.isTold) this.host.log(`the result of task ${task.id} was fetched`);
    task.isTold = true;
    if ('error' in outcome) {
      this.#answer(id, outcome);
      return;
    }
    const { _meta, ...result } = outcome.result;
    // The result itself does not say which task it is of.
    const related = { ...(_meta as object), 'io.modelcontextprotocol/related-task': { taskId: task.id } };
    this.#answer(id, { result: { ...result, _meta: related } });
  }

  #forget(task: ReceivedTask): void {
    clearTimeout(task.timer);
    this.#tasks.delete(task.id);
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#answer(id, { error: { code, message } });
  }

  #answer(id: RequestId, outcome: Outcome): void {
    this.host.send({ jsonrpc: '2.0', id, ...outcome } as JSONRPCMessage);
  }
}

import assert from 'node:assert/strict';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { MAX_TASKS, MAX_TTL_MS, ReceivedTasks } from '../../../../src/host/sdk/receivedTasks';
import { waitFor } from '../../../servers/spawn';

interface State {
  taskId: string;
  status: string;
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttl: number;
  pollInterval: number;
}
interface Answer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}
type Message = JSONRPCMessage & { id?: unknown; method?: string; params?: Record<string, unknown> };

const RELATED = 'io.modelcontextprotocol/related-task';
const SAMPLE = 'sampling/createMessage';

/** A session in which the test is the server, and also what works on its requests. */
class Desk {
  /** What the clock says, in milliseconds. */
  now = 0;
  readonly sent: Message[] = [];
  readonly delivered: Message[] = [];
  readonly logs: string[] = [];
  readonly tasks = new ReceivedTasks(
    {
      methods: new Set([SAMPLE]),
      send: message => void this.sent.push(message as Message),
      deliver: message => void this.delivered.push(message as Message),
      log: (said, level = 'info') => void this.logs.push(`${level}: ${said}`),
    },
    () => this.now,
  );
  #last = 0;

  /** Sends a request. @returns its id. */
  send(method: string, params: Record<string, unknown> = {}): number {
    const id = ++this.#last;
    assert.ok(this.tasks.received({ jsonrpc: '2.0', id, method, params }), `${method} was not handled`);
    return id;
  }

  answer(id: number): Answer | undefined {
    return this.sent.find(message => message.id === id) as Answer | undefined;
  }

  ask(method: string, params: Record<string, unknown> = {}): Answer {
    return this.answer(this.send(method, params)) ?? assert.fail(`${method} has no answer`);
  }

  create(task: Record<string, unknown> = {}): State {
    const { result } = this.ask(SAMPLE, { maxTokens: 1, task });
    assert.deepEqual(Object.keys(result ?? {}), ['task']);
    return result?.task as State;
  }

  /** What works on the task is done. */
  done(taskId: string, outcome: Answer): boolean {
    return this.tasks.answered({ jsonrpc: '2.0', id: taskId, ...outcome } as JSONRPCMessage);
  }

  get(taskId: string): State {
    return this.ask('tasks/get', { taskId }).result as unknown as State;
  }
}

describe('a server request as a task', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => desk.tasks.close());

  it('is answered with a working task immediately, and processed without the task parameter @receivedTasks.answered-working-task', () => {
    const task = desk.create({ ttl: 60_000 });
    const { taskId, status, createdAt, lastUpdatedAt, ttl } = task;
    assert.deepEqual({ status, ttl }, { status: 'working', ttl: 60_000 });
    assert.ok(Date.parse(createdAt) > 0 && lastUpdatedAt === createdAt);
    assert.match(taskId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(desk.delivered, [{ jsonrpc: '2.0', id: taskId, method: SAMPLE, params: { maxTokens: 1 } }]);
    assert.notEqual(desk.create().taskId, taskId);
  });

  it('without the task parameter, or of another kind, is no task @receivedTasks.task-parameter-kind', () => {
    const request = (method: string, params = {}) => desk.tasks.received({ jsonrpc: '2.0', id: 1, method, params });
    assert.equal(request(SAMPLE), false);
    assert.equal(request(SAMPLE, { task: 'yes' }), false);
    assert.equal(request('elicitation/create', { task: {} }), false);
    assert.equal(request('roots/list', { task: {} }), false);
    assert.deepEqual(desk.sent, []);
  });

  it('reports its state, and then its result with the related task @receivedTasks.reports-state-result', () => {
    const { taskId } = desk.create();
    assert.equal(desk.get(taskId).status, 'working');
    assert.ok(desk.done(taskId, { result: { model: 'm', _meta: { a: 1 } } }));
    const state = desk.get(taskId);
    assert.equal(state.status, 'completed');
    assert.equal(state.statusMessage, undefined);
    assert.ok(!('_meta' in state), 'it names its task already');
    assert.deepEqual(desk.ask('tasks/result', { taskId, _meta: { [RELATED]: { taskId: 'other' } } }), {
      jsonrpc: '2.0',
      id: 4,
      result: { model: 'm', _meta: { a: 1, [RELATED]: { taskId } } },
    });
    const notified = desk.sent.filter(({ method }) => method === 'notifications/tasks/status');
    assert.deepEqual(
      notified.map(({ params }) => params),
      [state],
    );
    assert.match(
      desk.logs.join('\n'),
      new RegExp(`sampling/createMessage is task ${taskId}\n.*task ${taskId} is completed`),
    );
  });

  it('that fails has the state failed, the reason, and the original error as its result @receivedTasks.fails-state-failed', () => {
    const { taskId } = desk.create();
    const error = { code: -1, message: 'User rejected sampling request' };
    desk.done(taskId, { error });
    const { status, statusMessage } = desk.get(taskId);
    assert.deepEqual({ status, statusMessage }, { status: 'failed', statusMessage: error.message });
    assert.deepEqual(desk.ask('tasks/result', { taskId }).error, error);
  });

  it('makes result requests wait until it ends @receivedTasks.makes-result-requests', () => {
    const { taskId } = desk.create();
    const [first, second] = [desk.send('tasks/result', { taskId }), desk.send('tasks/result', { taskId })];
    desk.tasks.cancelled(second);
    assert.equal(desk.answer(first), undefined);
    desk.done(taskId, { result: { model: 'm' } });
    assert.equal(desk.answer(first)?.result?.model, 'm');
    assert.equal(desk.answer(second), undefined, 'the server has taken it back');
  });

  it('stops when cancelled, and stays cancelled whatever its result @receivedTasks.stops-cancelled-stays', () => {
    const { taskId } = desk.create();
    const waiting = desk.send('tasks/result', { taskId });
    assert.equal(desk.ask('tasks/cancel', { taskId }).result?.status, 'cancelled');
    assert.deepEqual(desk.delivered.at(-1)?.params?.requestId, taskId);
    assert.equal(desk.answer(waiting)?.error?.code, -32603);
    assert.ok(desk.done(taskId, { result: { model: 'late' } }), 'its late answer goes nowhere');
    assert.equal(desk.get(taskId).status, 'cancelled');
    const again = desk.ask('tasks/cancel', { taskId }).error;
    assert.equal(again?.code, -32602);
    assert.match(again?.message ?? '', /already in terminal status 'cancelled'/);
  });

  it('is not found under another id @receivedTasks.found-id', () => {
    desk.create();
    for (const taskId of ['made-up', 7, undefined, null, { a: 1 }]) {
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        assert.equal(desk.ask(method, { taskId }).error?.code, -32602, `${method} of ${String(taskId)}`);
    }
  });

  it('is listed, page by page @receivedTasks.listed-page-page', () => {
    const made = Array.from({ length: 45 }, () => desk.create().taskId);
    const listed: string[] = [];
    let cursor: unknown;
    for (let pages = 0; pages < 3; pages++) {
      const { result } = desk.ask('tasks/list', cursor === undefined ? {} : { cursor });
      listed.push(...(result!.tasks as State[]).map(({ taskId }) => taskId));
      cursor = result!.nextCursor;
    }
    assert.deepEqual(listed, made);
    assert.equal(cursor, undefined);
    assert.equal(desk.ask('tasks/list', { cursor: 'made up' }).error?.code, -32602);
  });

  it('is kept as long as the server requests, within limits, and then dropped @receivedTasks.kept-long-server', async () => {
    for (const ttl of [undefined, -5, 'long', Number.POSITIVE_INFINITY, 10 * MAX_TTL_MS])
      assert.equal(desk.create(ttl === undefined ? {} : { ttl }).ttl, MAX_TTL_MS, String(ttl));
    const { taskId, ttl } = desk.create({ ttl: 0 });
    assert.equal(ttl, 1_000);
    const waiting = desk.send('tasks/result', { taskId });
    await waitFor(() => desk.ask('tasks/get', { taskId }).error?.code === -32602, { what: 'the end of its time' });
    assert.equal(desk.answer(waiting)?.error?.message, 'The task was cancelled.');
    assert.equal(desk.delivered.at(-1)?.method, 'notifications/cancelled');
  });

  it('is refused when there are too many, until the server has fetched a result @receivedTasks.refused-too-many', () => {
    const made = Array.from({ length: MAX_TASKS }, () => desk.create().taskId);
    assert.match(desk.ask(SAMPLE, { task: {} }).error?.message ?? '', /There are 50 tasks already/);
    desk.done(made[3]!, { result: {} });
    assert.equal(desk.ask(SAMPLE, { task: {} }).error?.code, -32603);
    desk.ask('tasks/result', { taskId: made[3] });
    desk.create();
    assert.equal(desk.ask('tasks/get', { taskId: made[3] }).error?.code, -32602);
  });

  it('refuses more than a hundred waiting result requests @receivedTasks.refuses-hundred-waiting', () => {
    const { taskId } = desk.create();
    for (let count = 0; count < 100; count++) desk.send('tasks/result', { taskId });
    assert.equal(desk.ask('tasks/result', { taskId }).error?.code, -32603);
  });

  it('limits the rate of status requests @receivedTasks.limits-rate-status', () => {
    const { taskId } = desk.create();
    const get = () => desk.ask('tasks/get', { taskId });
    for (let i = 0; i < 500; i++) assert.ok(get().result, `request ${i}`);
    assert.match(get().error?.message ?? '', /At most 100 requests about tasks are answered in a second/);
    assert.match(desk.ask('tasks/list').error?.message ?? '', /At most 100/);
    desk.now = 20;
    assert.deepEqual(
      [get(), get(), get()].map(({ result }) => result !== undefined),
      [true, true, false],
    );
    desk.now = 60_000;
    for (let i = 0; i < 500; i++) assert.ok(get().result, `request ${i}`);
    assert.ok(get().error);
    assert.equal(desk.logs.filter(said => said.startsWith('warning: a limit for its tasks is reached')).length, 1);
  });

  it('logs its start, its end, the fetching of its result, and each reached limit once @receivedTasks.logs-start-end', () => {
    const { taskId } = desk.create();
    desk.done(taskId, { result: {} });
    for (let i = 0; i < 2; i++) assert.ok(desk.ask('tasks/result', { taskId }).result);
    assert.deepEqual(desk.logs, [
      `info: its ${SAMPLE} is task ${taskId}`,
      `info: task ${taskId} is completed`,
      `info: the result of task ${taskId} was fetched`,
    ]);
    desk.logs.length = 0;
    for (let i = 0; i < MAX_TASKS + 2; i++) desk.send(SAMPLE, { maxTokens: 1, task: {} });
    const limits = desk.logs.filter(said => said.startsWith('warning:'));
    assert.deepEqual(limits, [
      `warning: a limit for its tasks is reached: There are ${MAX_TASKS} tasks already; no more are kept for one server.`,
    ]);
  });

  it('logs a warning after 20 requests for unknown tasks @receivedTasks.logs-warning-20', () => {
    for (let i = 0; i < 30; i++) assert.ok(desk.ask('tasks/get', { taskId: `guess ${i}` }).error);
    assert.deepEqual(desk.logs, ['warning: it has asked for tasks that are not there 20 times']);
  });

  it('ends with the session @receivedTasks.ends-session', () => {
    const { taskId } = desk.create();
    desk.tasks.close();
    assert.equal(desk.ask('tasks/get', { taskId }).error?.code, -32602);
    assert.equal(desk.done(taskId, { result: {} }), false);
  });
});

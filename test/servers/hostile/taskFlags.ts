import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Json, JsonObject, Message, RequestId } from '../raw/messages';
import { ErrorCode, errorAnswer, isObject, RpcError } from '../raw/messages';
import { type RawTool, text } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, withText } from './flag';

/** One task, as it is kept. Its state follows from the time: nothing runs. */
interface KeptTask {
  id: string;
  tool: string;
  /** As the call had them: see the descriptions of the arguments below. */
  args: JsonObject;
  /** The progress token of the call. */
  token?: Json;
  createdAt: number;
  cancelled?: boolean;
  /** What the client answered to what the task asked. */
  input?: Json;
}

const args = {
  ms: { type: 'number', description: 'How long the task works' },
  end: {
    enum: ['complete', 'toolError', 'error', 'never', 'gone', 'ask', 'cancelled', 'tell'],
    description:
      'What comes of it; "gone": the server forgets it; "ask": it asks for the roots half-way; "tell": progress at each poll',
  },
  ttl: { type: 'number' },
  poll: { type: 'number', description: 'The interval that the client is to keep to' },
  asks: { type: 'object', description: 'What "ask" asks for: roots, if nothing else' },
  late: { type: 'boolean', description: 'Whether the task is named only when the client asks for anything else' },
};

function taskTool(name: string, taskSupport: string): RawTool {
  return {
    definition: { name, inputSchema: { type: 'object', properties: args }, execution: { taskSupport } },
    call: () => text(`${name} was called without a task`),
  };
}

/** The tasks of a server, in a file, so that they are there after a restart. */
class Tasks {
  readonly #polls = new Map<string, number[]>();
  readonly #blocked: { id: RequestId; taskId: string; session: RawSession }[] = [];
  readonly #asked = new Set<string>();
  /** Answers that are held back. */
  #late: (() => void)[] = [];

  constructor(
    private readonly file: string,
    readonly isModern: boolean,
  ) {}

  handle({ method, id, params = {} }: Message, session: RawSession): 'handled' | undefined {
    if (id === undefined || id === null) return undefined;
    const answer = (result: Json) => session.send({ jsonrpc: '2.0', id, result }, id, true);
    const taskId = String(params.taskId);
    for (const name of this.#late.splice(0)) name();
    try {
      switch (method) {
        case 'tools/call': {
          if (!this.#isTask(params, session)) return undefined;
          const created = this.#create(params);
          if (isObject(params.arguments) && params.arguments.late) this.#late.push(() => answer(created));
          else answer(created);
          return 'handled';
        }
        case 'tasks/get': {
          const polls = this.#polls.get(taskId) ?? [];
          this.#polls.set(taskId, [...polls, Date.now()]);
          const task = this.#get(taskId);
          this.#askIfWanted(task, session);
          this.#tellIfWanted(task, session, id);
          answer(this.isModern ? { ...this.#state(task), ...this.#detail(task) } : this.#state(task));
          return 'handled';
        }
        case 'tasks/result':
          this.#get(taskId);
          this.#blocked.push({ id, taskId, session });
          this.#settle();
          return 'handled';
        case 'tasks/update':
          this.#change(taskId, { input: Object.values(params.inputResponses as JsonObject)[0] ?? null });
          answer({});
          return 'handled';
        case 'tasks/cancel':
          this.#change(taskId, { cancelled: true });
          session.log('info', 'tasks', `cancelled ${taskId}`);
          answer(this.isModern ? {} : this.#state(this.#get(taskId)));
          return 'handled';
        default:
          return undefined;
      }
    } catch (error) {
      session.send(errorAnswer(id, error), id, true);
      return 'handled';
    }
  }

  #isTask(params: JsonObject, session: RawSession): boolean {
    if (!this.isModern) {
      if (params.name !== 'required' || isObject(params.task)) return isObject(params.task);
      throw new RpcError(ErrorCode.methodNotFound, 'required must be called as a task');
    }
    const meta = isObject(params._meta) ? params._meta['io.modelcontextprotocol/clientCapabilities'] : undefined;
    const extensions = isObject(meta) ? meta.extensions : undefined;
    if (!isObject(extensions) || !isObject(extensions['io.modelcontextprotocol/tasks'])) {
      session.log('error', 'tasks', 'the client declares no tasks');
      return false;
    }
    return params.name === 'required' || params.name === 'optional';
  }

  #create(params: JsonObject): Json {
    const id = `task-${Math.random().toString(36).slice(2)}`;
    const given = isObject(params.arguments) ? params.arguments : {};
    const token = isObject(params._meta) ? params._meta.progressToken : undefined;
    const task: KeptTask = { id, tool: String(params.name), args: given, token, createdAt: Date.now() };
    this.#write({ ...this.#read(), [id]: task });
    return this.isModern ? { ...this.#state(task), resultType: 'task' } : { task: this.#state(task) };
  }

  #get(id: string): KeptTask {
    const task = this.#read()[id];
    if (!task || (task.args.end === 'gone' && this.#isDue(task)))
      throw new RpcError(ErrorCode.invalidParams, 'Failed to retrieve task: Task not found');
    return task;
  }

  #change(id: string, change: Partial<KeptTask>): void {
    this.#write({ ...this.#read(), [id]: { ...this.#get(id), ...change } });
  }

  #isDue = ({ args: { ms, end }, createdAt, input }: KeptTask) =>
    end !== 'never' && Date.now() >= createdAt + Number(ms ?? 0) && (end !== 'ask' || input !== undefined);

  #status(task: KeptTask): string {
    if (task.cancelled || (task.args.end === 'cancelled' && this.#isDue(task))) return 'cancelled';
    if (this.#isDue(task)) {
      if (this.isModern) return task.args.end === 'error' ? 'failed' : 'completed';
      return task.args.end === 'error' || task.args.end === 'toolError' ? 'failed' : 'completed';
    }
    const asks = task.args.end === 'ask' && task.input === undefined;
    return asks && Date.now() >= task.createdAt + Number(task.args.ms ?? 0) / 2 ? 'input_required' : 'working';
  }

  #state(task: KeptTask): JsonObject {
    const status = this.#status(task);
    const at = new Date(task.createdAt).toISOString();
    const [ttl, poll] = this.isModern ? ['ttlMs', 'pollIntervalMs'] : ['ttl', 'pollInterval'];
    return {
      taskId: task.id,
      status,
      statusMessage: `it is ${status}`,
      createdAt: at,
      lastUpdatedAt: at,
      [ttl]: task.args.ttl ?? null,
      [poll]: task.args.poll ?? 250,
    };
  }

  /** What the modern era puts into the state itself. */
  #detail(task: KeptTask): JsonObject {
    const status = this.#status(task);
    if (status === 'input_required')
      return { inputRequests: { where: task.args.asks ?? { method: 'roots/list', params: {} } } };
    if (status === 'failed') return { error: { code: ErrorCode.internal, message: 'the task broke' } };
    return status === 'completed' ? { result: this.#result(task) } : {};
  }

  #result(task: KeptTask): JsonObject {
    const gaps = (this.#polls.get(task.id) ?? []).map((at, i, all) => at - (all[i - 1] ?? at)).slice(1);
    const told = JSON.stringify({ done: task.args, input: task.input ?? null, gaps });
    return { ...text(told), ...(task.args.end === 'toolError' && { isError: true }) };
  }

  /** Progress under the token of the call, also when the task has ended. */
  #tellIfWanted(task: KeptTask, session: RawSession, id: RequestId): void {
    if (task.args.end !== 'tell' || task.token === undefined) return;
    const progress = this.#polls.get(task.id)?.length ?? 0;
    const params = { progressToken: task.token, progress, message: `told while ${this.#status(task)}` };
    session.notify('notifications/progress', params, id);
  }

  /** Legacy: the server asks itself. */
  #askIfWanted(task: KeptTask, session: RawSession): void {
    if (this.isModern || this.#status(task) !== 'input_required' || this.#asked.has(task.id)) return;
    this.#asked.add(task.id);
    void session
      .request('roots/list', { _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.id } } })
      .then(input => this.#change(task.id, { input }));
  }

  /** Answers the requests for results that have waited for the end of their tasks. */
  #settle(): void {
    for (const waiting of this.#blocked.splice(0)) {
      const { id, taskId, session } = waiting;
      const task = this.#read()[taskId];
      const status = task && this.#status(task);
      if (
        !task ||
        status === 'cancelled' ||
        (task.args.end === 'gone' && this.#isDue(task)) ||
        (status === 'failed' && task.args.end === 'error')
      )
        session.send(errorAnswer(id, new RpcError(ErrorCode.internal, 'the task broke')), id, true);
      else if (status === 'completed' || status === 'failed')
        session.send({ jsonrpc: '2.0', id, result: this.#result(task) }, id, true);
      else this.#blocked.push(waiting);
    }
    if (this.#blocked.length > 0) setTimeout(() => this.#settle(), 20).unref();
  }

  #read(): Record<string, KeptTask> {
    return existsSync(this.file) ? JSON.parse(readFileSync(this.file, 'utf8')) : {};
  }

  #write(tasks: Record<string, KeptTask>): void {
    writeFileSync(this.file, JSON.stringify(tasks));
  }
}

/** Tools that are called as tasks: "required", "optional" and "forbidden". */
function offerTasks(isModern: boolean): Flag['apply'] {
  return ({ offer, incoming }, file) => {
    const tasks = new Tasks(file, isModern);
    if (isModern) offer.capabilities.extensions = { 'io.modelcontextprotocol/tasks': {} };
    else offer.capabilities.tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    offer.tools.push(...['required', 'optional', 'forbidden'].map(name => taskTool(name, name)));
    incoming.push((message, session) => tasks.handle(message, session));
  };
}

/** Calls that become tasks, of either era. Their arguments say how they end. */
export const taskFlags: Readonly<Record<string, Flag>> = {
  tasks: withText('file', 'offer tools as tasks (2025-11-25), which are kept in the file', offerTasks(false)),
  'modern-tasks': withText('file', 'the same for --modern (extension io.modelcontextprotocol/tasks)', offerTasks(true)),
};

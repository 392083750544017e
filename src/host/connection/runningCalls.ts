import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { type Disposable, Emitter } from '../../base/events';
import type { ServerId } from '../definition/definition';
import type { OpenRequests } from './allowedRequests';
import type { ServerConnection } from './connection';
import { type CallOptions, CallTime } from './requestGate';

/** A call in progress, or a finished task whose result has not been viewed. */
export interface RunningCall {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Value of `performance.now()` at the start. */
  readonly started: number;
  /** Where questions that the call causes are asked. Absent: anywhere. */
  readonly chat: CallChat | undefined;
  /** The extension or agent that requested it. Absent: the person, or their chat. */
  readonly client: { readonly id: string; readonly name: string } | undefined;
  readonly progress: Progress | undefined;
  /** Set if the server works on it as a task. */
  readonly taskId: string | undefined;
  /** Set when it has ended. */
  readonly end: { readonly result: CallToolResult; readonly ms: number } | undefined;
  cancel(): void;
  /** Removes the row after the person has seen the result. */
  dismiss(): void;
}

/** A task as remembered for the next window: without arguments, which may be private. */
export interface KeptTask {
  readonly serverId: ServerId;
  /** Fingerprint of the server's definition: a changed server has no such task. */
  readonly fingerprint: string;
  readonly tool: string;
  readonly taskId: string;
  readonly startedAt: number;
  /** A chat waited for its result. */
  readonly inChat?: boolean;
}

type Send = (args: Record<string, unknown>, options: CallOptions) => Promise<CallToolResult>;
type ShownCall = Pick<RunningCall, 'server' | 'tool' | 'args'> & Partial<Pick<RunningCall, 'chat' | 'client'>>;
/** `send` carries it out. */
type Call = ShownCall & { readonly send: Send };

/** Makes an approved call: see `ToolCalls`. */
export type MakeCall = (call: Call, options: CallOptions) => Promise<CallToolResult>;

const NOT_KEPT = { '…': 'not kept when the window was reloaded' };
/** Shorter calls are not shown. */
const QUIET_MS = 500;
const MAX_ENDED = 20;
/** How long a task outlives a stopped chat, in milliseconds. A reload is quicker: the next window takes it up. */
const STOPPED_CHAT_MS = 3_000;
/** The server could not be asked: it may still have the task. */
const STILL_THERE = new Set<HostError['code']>(['CLOSED', 'EXITED', 'NOT_READY', 'UNREACHABLE', 'BUSY', 'TIMEOUT']);

/** Owns all tool calls that run in this window, from any caller, and the tasks that outlive a reload. */
export class RunningCalls implements Disposable {
  readonly #calls = new Set<Running>();
  readonly #changed = new Emitter<ServerConnection>();
  /** Fires when a call of this server begins, makes progress or ends. */
  readonly onDidChange = this.#changed.event;

  /** @param open leads to the servers that are asked for the tasks of an earlier window: `McpHost.requests`. */
  constructor(
    /** Keeps tasks over a reload of the window. */
    private readonly store: { get(): readonly KeptTask[]; set(tasks: readonly KeptTask[]): void },
    private readonly open: OpenRequests,
    private readonly stoppedChatMs = STOPPED_CHAT_MS,
  ) {}

  /** The calls of one server that are worth showing, the oldest first. */
  of(server: ServerConnection): RunningCall[] {
    return [...this.#calls].filter(call => call.server === server && call.isShown);
  }

  /** The calls that a server is working on now. Its questions to the person may belong to one of them. */
  at(id: ServerId): RunningCall[] {
    return [...this.#calls].filter(({ server, end }) => server.id === id && !end);
  }

  /** Whether an earlier window has left tasks. */
  get hasKept(): boolean {
    return this.store.get().length > 0;
  }

  readonly make: MakeCall = (call, options) => this.#run(new Running(call, Date.now()), options, call);

  /**
   * Follows the tasks that an earlier window left on a server that is ready.
   * @param tell called once for each finished task, with its call or the reason why it has no result; undefined if the server
   * has changed.
   */
  restore(server: ServerConnection, tell: (tool: string, ended: RunningCall | HostError | undefined) => void): void {
    const shown = new Set([...this.#calls].map(({ taskId }) => taskId));
    for (const kept of this.store.get()) {
      const { serverId, fingerprint, tool: name, taskId, startedAt } = kept;
      if (serverId !== server.id || shown.has(taskId)) continue;
      if (fingerprint !== server.definition.fingerprint) {
        this.#forget(taskId);
        tell(name, undefined);
        continue;
      }
      const offered = server.catalog.tools.find(tool => tool.name === name);
      const tool: Tool = offered ?? { name, inputSchema: { type: 'object' } };
      const call = new Running({ server, tool, args: NOT_KEPT }, startedAt, taskId);
      const send: Send = (...sent) => this.open(server).callTool(tool, ...sent);
      this.#run(call, { taskId }, { args: {}, keeps: true, send }).then(
        () => tell(name, call),
        (error: HostError) => {
          if (!STILL_THERE.has(error.code) && error.code !== 'CANCELLED') tell(name, error);
        },
      );
    }
  }

  dispose(): void {
    for (const call of this.#calls) call.dispose();
    this.#calls.clear();
    this.#changed.dispose();
  }

  /** @param args what is sent; `call` has what is shown. @param keeps whether its row stays, as no caller waits. */
  async #run(
    call: Running,
    options: CallOptions,
    { args, keeps = false, send }: Pick<Call, 'args' | 'send'> & { readonly keeps?: boolean },
  ): Promise<CallToolResult> {
    const { server } = call;
    this.#calls.add(call);
    call.show(keeps ? 0 : QUIET_MS, () => this.#changed.fire(server));
    const abort = () => (call.chat && call.taskId !== undefined ? call.cancelIn(this.stoppedChatMs) : call.cancel());
    const { time = new CallTime() } = options;
    options.signal?.addEventListener('abort', abort);
    if (options.signal?.aborted) abort();
    try {
      const result = await send(args, {
        ...options,
        signal: call.signal,
        onProgress: progress => {
          call.progress = progress;
          options.onProgress?.(progress);
          if (call.isShown) this.#changed.fire(server);
        },
        time,
        onTask: taskId => {
          call.taskId = taskId;
          this.#keep(call, taskId);
          options.onTask?.(taskId);
        },
      });
      this.#ended(call, keeps);
      // A task of an earlier window has run longer than this one has waited.
      call.end = { result, ms: keeps ? Date.now() - call.startedAt : time.ms };
      call.dismiss = () => {
        if (this.#calls.delete(call)) this.#changed.fire(server);
      };
      return result;
    } catch (error) {
      this.#ended(call, false, error as HostError);
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', abort);
      if (call.isShown) this.#changed.fire(server);
    }
  }

  #ended(call: Running, keeps: boolean, error?: HostError): void {
    call.dispose();
    if (!keeps) this.#calls.delete(call);
    if (call.taskId !== undefined && !(error && STILL_THERE.has(error.code))) this.#forget(call.taskId);
    const ended = [...this.#calls].filter(({ end }) => end);
    for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#calls.delete(old);
  }

  #keep({ server, tool, startedAt, chat }: Running, taskId: string): void {
    const others = this.store.get().filter(kept => kept.taskId !== taskId);
    const { id: serverId, definition } = server;
    const { fingerprint } = definition;
    const kept = { serverId, fingerprint, tool: tool.name, taskId, startedAt, ...(chat && { inChat: true }) };
    this.store.set([...others, kept]);
  }

  #forget(taskId: string): void {
    this.store.set(this.store.get().filter(kept => kept.taskId !== taskId));
  }
}

class Running implements RunningCall {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly chat: CallChat | undefined;
  readonly client: RunningCall['client'];
  readonly started = performance.now();
  progress: Progress | undefined;
  end: RunningCall['end'];
  /** Whether it runs long enough to be shown. */
  isShown = false;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #cancelling: NodeJS.Timeout | undefined;

  constructor(
    { server, tool, args, chat, client }: ShownCall,
    readonly startedAt: number,
    public taskId: string | undefined = undefined,
  ) {
    this.server = server;
    this.tool = tool;
    this.args = args;
    this.chat = chat;
    this.client = client;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  show(afterMs: number, shown: () => void): void {
    this.#timer = setTimeout(() => {
      this.isShown = true;
      shown();
    }, afterMs);
  }

  cancel(): void {
    this.#abort.abort();
  }

  cancelIn(afterMs: number): void {
    this.#cancelling ??= setTimeout(() => this.cancel(), afterMs);
  }

  dismiss: () => void = () => undefined;

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#cancelling);
  }
}

/** Something for the person to decide. Nothing in its texts is markup. */
export interface ChatQuestion {
  readonly text: string;
  /** The texts to decide about, with hidden characters made visible: who says what. */
  readonly quotes?: readonly { readonly by: string; readonly text: string }[];
  /** Everything else to decide about. */
  readonly json?: string;
  /** Said below that. */
  readonly note?: string;
  /** In order: the answer that each gives, and its title. */
  readonly buttons: readonly (readonly [answer: string, title: string])[];
}

/** The answer of a chat turn whose tool calls run: the person looks there, so their questions are asked there. */
export interface CallChat {
  /** Aborted when the person stops the turn: the results of its calls are no longer wanted. */
  readonly stopped: AbortSignal;
  /** Aborted when its calls have ended: nothing can be asked here any more, and open questions move elsewhere. */
  readonly over: AbortSignal;
  /** Shows one line. Like `ask`, does nothing after the calls have ended. */
  say(text: string): void;
  /** Asks until the returned handle is disposed: several buttons can be pressed in turn. */
  ask(question: ChatQuestion, onAnswer: (answer: string) => void): Disposable;
}

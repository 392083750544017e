import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { INVALID_REQUEST, METHOD_NOT_FOUND, SERVER_ERROR } from '../../../../base/errors';
import { parsedJson } from '../../../../base/json';
import { LineReader } from '../../../../base/processes';
import { openWindow, type WantedServers } from './openWindow';
import { MAX_MESSAGE_BYTES } from './windowCards';

/** A window that reloads is back after a few seconds. Requests wait so long, and then fail with the reason. */
const RETURN_MS = 20_000;
const LOOK_AGAIN_MS = 250;
/** Later it looks less often. */
const LOOK_LATER_MS = 2_000;
/** Clients take a server that has not answered the handshake for one that can't be used, for the whole session. */
const HANDSHAKE_MS = 2_500;
/** So long it looks for a window before it says that there is none. */
const LOOK_FIRST_MS = 2_000;
/** The most messages kept while there is no window. */
const MAX_QUEUED = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;
const OURS = 'mcp-host-bridge:';
/** A stream of changes (spec 2026-07-28: basic/utilities/subscriptions). */
const LISTEN = 'subscriptions/listen';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const OPEN_A_WINDOW = 'Open a window of the editor, and run "MCP Host: Share Servers with Agents…" in it.';
const REOPEN_IT = 'Open it again, or begin a new chat in another window.';
const { stdin: input, stdout: output } = process;
const CHANGED = ['tools', 'prompts', 'resources'].map(list => `notifications/${list}/list_changed`);

type Id = string | number;

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: Id;
  readonly method?: string;
  readonly params?: {
    readonly uri?: string;
    readonly requestId?: Id;
    readonly protocolVersion?: unknown;
    readonly cursor?: unknown;
  };
  readonly result?: unknown;
}

/** Versions with a handshake, which the bridge can answer for a window. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** What a client gets of a list while no window is there. */
const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
/** A larger list is not kept for the time in which a window reloads. */
const MAX_KEPT_LIST = 1024 * 1024;

/**
 * Passes messages between a client and a window. When the window closes, it goes on with the next: what the client has agreed on with
 * the first is repeated there, and what it was waiting for fails. While there is none, it answers the handshake and lists itself, so
 * that the client keeps it, and announces the lists later. It ends with its client alone.
 */
export class Relay {
  #socket: Socket | undefined;
  #isOver = false;
  #queue: string[] = [];
  readonly #open = new Map<Id, { readonly method: string; readonly line: string }>();
  /** The state that the client has agreed on with its session. */
  readonly #agreed: { initialize?: string; initialized?: string; level?: string } = {};
  /** Whether the client has an answer to its `initialize`. */
  #isGreeted = false;
  /** The `initialize` that a window has got, too, whose answer comes too late. */
  #late: Id | undefined;
  readonly #subscriptions = new Map<string, string>();
  /** The first pages of lists, as the client got them last. */
  readonly #lists = new Map<string, unknown>();
  /** How often it has gone on with another window. */
  #windows = 0;
  /** Why there is no window; undefined until it has been looked for as long as one may need to return. */
  #reason: string | undefined;

  constructor(private readonly wanted: WantedServers) {}

  async start(): Promise<void> {
    const lines = new LineReader(MAX_MESSAGE_BYTES, () =>
      this.#say({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message: 'The message is too large.' } }),
    );
    input.on('data', (chunk: Buffer) => {
      for (const line of lines.add(chunk)) this.#fromClient(line);
    });
    input.on('end', () => this.#end());
    input.on('error', () => this.#end());
    output.on('error', () => this.#end());
    await this.#connect(LOOK_FIRST_MS);
  }

  /** @param limitMs how long requests wait for a window */
  async #connect(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    for (;;) {
      const opened = await openWindow(this.wanted);
      if (this.#isOver) {
        if (typeof opened !== 'string') opened.destroy();
        return;
      }
      if (typeof opened !== 'string') return this.#use(opened);
      const isLate = performance.now() >= until;
      if (isLate) this.#giveUp(opened);
      await delay(isLate ? LOOK_LATER_MS : LOOK_AGAIN_MS, undefined, { ref: false });
    }
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    this.#reason = undefined;
    this.#windows++;
    this.#agreeAgain(socket);
    for (const line of this.#queue.splice(0)) socket.write(`${line}\n`);
    input.resume();
    // Whole lines only, so that the client gets no partial message of a window that was killed.
    const lines = new LineReader(Number.POSITIVE_INFINITY, () => {});
    socket.on('data', chunk => {
      for (const line of lines.add(chunk)) this.#fromWindow(line);
    });
    socket.on('error', () => {});
    socket.on('drain', () => input.resume());
    socket.on('close', () => this.#lost());
    socket.resume();
  }

  /** Repeats the client's handshake with a window, whose answers are not passed on, and its streams of changes. */
  #agreeAgain(socket: Socket): void {
    const { initialize, initialized, level } = this.#agreed;
    if (initialize && !this.#isGreeted) socket.write(`${initialize}\n`);
    else {
      for (const line of [initialize, level, ...this.#subscriptions.values()]) {
        if (!line) continue;
        const id = `${OURS}${this.#windows}:${line === initialize ? 'initialize' : 'more'}`;
        socket.write(`${JSON.stringify({ ...JSON.parse(line), id })}\n`);
        if (line === initialize && initialized) socket.write(`${initialized}\n`);
      }
    }
    for (const [id, { method, line }] of this.#open) {
      if (method !== LISTEN) continue;
      socket.write(`${line}\n`);
      if (this.#windows === 1) continue;
      for (const changed of CHANGED)
        this.#say({ jsonrpc: '2.0', method: changed, params: { _meta: { [SUBSCRIPTION]: id } } });
    }
  }

  #lost(): void {
    this.#socket = undefined;
    this.#late = undefined;
    if (this.#isOver) return;
    input.resume();
    for (const [id, { method }] of this.#open) {
      // The next window gets it and answers.
      if (method === 'initialize' || method === LISTEN) continue;
      const doubt = method === 'tools/call' ? ' The tool may have been carried out.' : '';
      this.#fail(id, `The window of the editor closed before it answered.${doubt}`);
    }
    // After a delay, so that a window that ends each session does not cause a busy loop.
    void delay(LOOK_AGAIN_MS, undefined, { ref: false }).then(() => this.#connect(RETURN_MS));
  }

  /** There is no window now: what the client waits for is answered here. */
  #giveUp(reason: string): void {
    const message = `${reason} ${this.wanted.card === undefined ? OPEN_A_WINDOW : REOPEN_IT}`;
    if (this.#reason === undefined) process.stderr.write(`${message}\n`);
    this.#reason = message;
    for (const line of this.#queue.splice(0)) this.#answer(line, parse(line), message);
    if (this.#agreed.initialize && !this.#isGreeted) this.#greet(this.#agreed.initialize, message);
    input.resume();
  }

  /** A window that is busy or has not been found gets the client's handshake later. */
  async #greetInTime(line: string): Promise<void> {
    await delay(HANDSHAKE_MS, undefined, { ref: false });
    if (!this.#isGreeted && !this.#isOver)
      this.#greet(line, this.#reason ?? 'The window of the editor has not answered yet.');
  }

  #answer(line: string, asked: Message, message: string): void {
    const { id, method = '' } = asked;
    if (id === undefined) return;
    if (method === 'initialize') this.#greet(line, message);
    else if (method === 'server/discover') this.#fail(id, 'Method not found', METHOD_NOT_FOUND);
    else if (method === 'ping' || method === 'logging/setLevel') this.#give(id, {});
    else if (method !== LISTEN && !this.#giveList(id, asked)) this.#fail(id, message);
  }

  /** Answers with what the client had last of a list; a chat, which would take an error for the whole session's, with nothing. */
  #giveList(id: Id, { method = '', params }: Message): boolean {
    const list = LISTS[method];
    const kept = params?.cursor === undefined ? this.#lists.get(method) : undefined;
    if (list === undefined || (kept === undefined && this.wanted.card === undefined)) return false;
    this.#give(id, kept ?? { [list]: [] });
    return true;
  }

  /** Answers the handshake in place of a window, which gets it later. */
  #greet(line: string, instructions: string): void {
    const { id, params } = parse(line);
    if (id === undefined) return;
    const wanted = VERSIONS.find(version => version === params?.protocolVersion);
    this.#isGreeted = true;
    if (this.#socket) this.#late = id;
    this.#give(id, {
      protocolVersion: wanted ?? VERSIONS[0],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      },
      serverInfo: { name: this.wanted.server ?? 'mcp-host', version: '0' },
      instructions,
    });
  }

  #fromClient(line: string): void {
    const message = parse(line);
    const { id, method } = message;
    if (id !== undefined && method !== undefined) this.#open.set(id, { method, line });
    this.#remember(line, message);
    if (method === 'initialize') void this.#greetInTime(line);
    // The chat's sessions outlive windows, and its handshake can be repeated only in the older era.
    if (method === 'server/discover' && id !== undefined && this.wanted.card !== undefined)
      this.#fail(id, 'Method not found', METHOD_NOT_FOUND);
    else if (this.#socket) {
      if (!this.#socket.write(`${line}\n`)) input.pause();
    } else if (this.#reason !== undefined) this.#answer(line, message, this.#reason);
    else this.#wait(line, message);
  }

  /** Until a window is there. */
  #wait(line: string, message: Message): void {
    const { id, method } = message;
    // These are repeated anyway.
    if (method === 'initialize' || method === 'notifications/initialized' || method === LISTEN) return;
    if (id !== undefined && this.#isGreeted && this.#giveList(id, message)) return;
    this.#queue.push(line);
    if (this.#queue.length >= MAX_QUEUED) input.pause();
  }

  #remember(line: string, { method, params }: Message): void {
    if (method === 'initialize') this.#agreed.initialize = line;
    else if (method === 'notifications/initialized') this.#agreed.initialized = line;
    else if (method === 'logging/setLevel') this.#agreed.level = line;
    else if (method === 'resources/unsubscribe') this.#subscriptions.delete(String(params?.uri));
    else if (method === 'resources/subscribe' && this.#subscriptions.size < MAX_SUBSCRIPTIONS)
      this.#subscriptions.set(String(params?.uri), line);
    // A cancelled request gets no answer.
    else if (method === 'notifications/cancelled' && params?.requestId !== undefined)
      this.#open.delete(params.requestId);
  }

  #fromWindow(line: string): void {
    const { id, method, result } = parse(line);
    if (id !== undefined && method === undefined) {
      if (typeof id === 'string' && id.startsWith(OURS)) {
        if (id.endsWith(':initialize')) this.#announce();
        return;
      }
      if (id === this.#late) {
        this.#late = undefined;
        this.#announce();
        return;
      }
      const asked = this.#open.get(id);
      this.#open.delete(id);
      if (asked?.method === 'initialize') this.#isGreeted = true;
      if (asked && LISTS[asked.method] !== undefined && result !== undefined && line.length <= MAX_KEPT_LIST)
        this.#lists.set(asked.method, result);
    }
    this.#write(`${line}\n`);
  }

  /** The window is there now, and may have other lists. */
  #announce(): void {
    for (const method of CHANGED) this.#say({ jsonrpc: '2.0', method });
  }

  #give(id: Id, result: unknown): void {
    this.#open.delete(id);
    this.#say({ jsonrpc: '2.0', id, result });
  }

  #fail(id: Id, message: string, code: number = SERVER_ERROR): void {
    this.#open.delete(id);
    this.#say({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #say(message: object): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }

  #write(text: string): void {
    if (output.write(text)) return;
    const socket = this.#socket;
    socket?.pause();
    output.once('drain', () => socket?.resume());
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    // Not `exit`, which would lose what has not been written yet.
    input.destroy();
    output.end();
  }
}

const parse = (line: string) => Object(parsedJson(line)) as Message;

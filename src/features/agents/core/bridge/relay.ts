import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { INVALID_REQUEST, SERVER_ERROR } from '../../../../base/errors';
import { LineReader } from '../../../../base/processes';
import { openWindow, type WantedServers } from './windowSocket';

/** In bytes: what the window takes as well. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** A window that reloads is there again after a few seconds. */
const RETURN_MS = 20_000;
const LOOK_AGAIN_MS = 250;
/** The most messages kept while there is no window. */
const MAX_QUEUED = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;
const OURS = 'mcp-host-bridge:';
const CHANGED = ['tools', 'prompts', 'resources'].map(list => `notifications/${list}/list_changed`);

type Id = string | number;

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly requestId?: Id };
}

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Ends the program. Called once. */
  end(code: number, reason?: string): void;
}

/**
 * Passes messages between a client and a window. When the window closes, it goes on with another: what the client has agreed with
 * the first is repeated there, and what it was waiting for fails.
 */
export class Relay {
  #socket: Socket | undefined;
  #isOver = false;
  /** Messages for the next window. */
  #queue: string[] = [];
  /** Requests of the client without an answer. */
  readonly #open = new Map<Id, string>();
  /** The state that the client has agreed on with its session. */
  readonly #agreed: { initialize?: string; initialized?: string; level?: string } = {};
  readonly #subscriptions = new Map<string, string>();
  /** How often it has gone on with another window. */
  #windows = 0;

  constructor(
    private readonly wanted: WantedServers,
    private readonly streams: Streams,
    private readonly returnMs = RETURN_MS,
  ) {}

  async start(): Promise<void> {
    const { input, output } = this.streams;
    const lines = new LineReader(MAX_MESSAGE_BYTES, () =>
      this.#say({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message: 'The message is too large.' } }),
    );
    input.on('data', (chunk: Buffer) => {
      for (const line of lines.add(chunk)) this.#fromClient(line);
    });
    input.on('end', () => this.#end(0));
    input.on('error', () => this.#end(0));
    output.on('error', () => this.#end(0));
    await this.#connect(0);
  }

  /** @param limitMs how long to wait for a window */
  async #connect(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs;
    for (;;) {
      const opened = await openWindow(this.wanted);
      if (this.#isOver) {
        if (typeof opened !== 'string') opened.destroy();
        return;
      }
      if (typeof opened !== 'string') return this.#use(opened);
      if (performance.now() >= until) return this.#giveUp(opened);
      await delay(LOOK_AGAIN_MS);
    }
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    const isAgain = this.#windows++ > 0;
    if (isAgain) this.#agreeAgain(socket);
    for (const line of this.#queue.splice(0)) socket.write(`${line}\n`);
    this.streams.input.resume();
    // Whole lines only: the client gets no half of a message of a window that was killed.
    const lines = new LineReader(Number.POSITIVE_INFINITY, () => {});
    socket.on('data', chunk => {
      for (const line of lines.add(chunk)) this.#fromWindow(line);
    });
    socket.on('error', () => {});
    socket.on('drain', () => this.streams.input.resume());
    socket.on('close', () => this.#lost());
    socket.resume();
  }

  /** Repeats the client's handshake with another window, whose answers are not passed on. */
  #agreeAgain(socket: Socket): void {
    const { initialize, initialized, level } = this.#agreed;
    if (!initialize || !initialized) {
      if (initialize) socket.write(`${initialize}\n`);
      return;
    }
    for (const line of [initialize, level, ...this.#subscriptions.values()]) {
      if (!line) continue;
      const id = `${OURS}${this.#windows}:${line === initialize ? 'initialize' : 'more'}`;
      socket.write(`${JSON.stringify({ ...JSON.parse(line), id })}\n`);
      if (line === initialize) socket.write(`${initialized}\n`);
    }
  }

  #lost(): void {
    this.#socket = undefined;
    if (this.#isOver) return;
    this.streams.input.resume();
    for (const [id, method] of this.#open) {
      // It is sent to the next window, which answers it.
      if (method === 'initialize') continue;
      const doubt = method === 'tools/call' ? ' The tool may have been carried out.' : '';
      this.#fail(id, `The window of the editor closed before it answered.${doubt}`);
    }
    // Not at once: a window that ends each session must not keep a processor busy.
    void delay(LOOK_AGAIN_MS).then(() => this.#connect(this.returnMs));
  }

  #giveUp(reason: string): void {
    const remedy = 'Open a window of the editor, run "MCP Host: Share Servers with Agents…" in it, and connect again.';
    const message = `${reason} ${remedy}`;
    for (const line of this.#queue) {
      const { id, method } = parse(line) ?? {};
      if (id !== undefined && method !== undefined) this.#open.set(id, method);
    }
    // A client that has said nothing yet is answered when it does.
    if (this.#open.size === 0 && this.#windows === 0) {
      this.#reason = message;
      return;
    }
    for (const id of [...this.#open.keys()]) this.#fail(id, message);
    this.#end(1, message);
  }

  #reason: string | undefined;

  #fromClient(line: string): void {
    const message = parse(line);
    const { id, method } = message ?? {};
    if (id !== undefined && method !== undefined) this.#open.set(id, method);
    if (this.#reason !== undefined) {
      for (const open of [...this.#open.keys()]) this.#fail(open, this.#reason);
      if (id !== undefined) this.#end(1, this.#reason);
      return;
    }
    this.#remember(line, message);
    const { input } = this.streams;
    if (this.#socket) {
      if (!this.#socket.write(`${line}\n`)) input.pause();
      return;
    }
    // It is repeated anyway.
    if (method === 'initialize' && this.#windows > 0) return;
    this.#queue.push(line);
    if (this.#queue.length >= MAX_QUEUED) input.pause();
  }

  #remember(line: string, message: Message | undefined): void {
    const { method, params } = message ?? {};
    if (method === 'initialize') this.#agreed.initialize = line;
    else if (method === 'notifications/initialized') this.#agreed.initialized = line;
    else if (method === 'logging/setLevel') this.#agreed.level = line;
    else if (method === 'resources/unsubscribe') this.#subscriptions.delete(String(params?.uri));
    else if (method === 'resources/subscribe' && this.#subscriptions.size < MAX_SUBSCRIPTIONS)
      this.#subscriptions.set(String(params?.uri), line);
    // Nobody waits for what has been cancelled.
    else if (method === 'notifications/cancelled' && params?.requestId !== undefined)
      this.#open.delete(params.requestId);
  }

  #fromWindow(line: string): void {
    const { id, method } = parse(line) ?? {};
    if (id !== undefined && method === undefined) {
      this.#open.delete(id);
      if (typeof id === 'string' && id.startsWith(OURS)) {
        if (id.endsWith(':initialize')) for (const changed of CHANGED) this.#say({ jsonrpc: '2.0', method: changed });
        return;
      }
    }
    this.#write(`${line}\n`);
  }

  #fail(id: Id, message: string): void {
    this.#open.delete(id);
    this.#say({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } });
  }

  #say(message: object): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }

  #write(text: string): void {
    const { output } = this.streams;
    if (output.write(text)) return;
    const socket = this.#socket;
    socket?.pause();
    output.once('drain', () => socket?.resume());
  }

  #end(code: number, reason?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    this.streams.end(code, reason);
  }
}

function parse(line: string): Message | undefined {
  try {
    return Object(JSON.parse(line)) as Message;
  } catch {
    return undefined;
  }
}

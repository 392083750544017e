import { existsSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { INVALID_REQUEST, SERVER_ERROR } from '../../../../base/errors';
import { parsedJson } from '../../../../base/json';
import { LineReader } from '../../../../base/processes';
import {
  BRIDGE_PROTOCOL,
  defaultHome,
  type Hello,
  inOrder,
  isOwnAddress,
  MAX_MESSAGE_BYTES,
  readCards,
  type Welcome,
  type WindowCard,
} from './windowCards';

/*
 * A program without dependencies that agents start as if it were a server. It passes their messages on to the window that has
 * their folder, which answers them with the servers that run there.
 *
 *   node bridge.js [--server <name>]
 */

/** A window that reloads is there again after a few seconds. */
const RETURN_MS = 20_000;
const LOOK_AGAIN_MS = 250;
/** The most messages kept while there is no window. */
const MAX_QUEUED = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;
const OURS = 'mcp-host-bridge:';
const { stdin: input, stdout: output } = process;
const CHANGED = ['tools', 'prompts', 'resources'].map(list => `notifications/${list}/list_changed`);

type Id = string | number;

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly requestId?: Id };
}

/**
 * Passes messages between a client and a window. When the window closes, it goes on with another: what the client has agreed with
 * the first is repeated there, and what it was waiting for fails.
 */
class Relay {
  #socket: Socket | undefined;
  #isOver = false;
  #queue: string[] = [];
  readonly #open = new Map<Id, string>();
  /** The state that the client has agreed on with its session. */
  readonly #agreed: { initialize?: string; initialized?: string; level?: string } = {};
  readonly #subscriptions = new Map<string, string>();
  /** How often it has gone on with another window. */
  #windows = 0;

  /** What to tell a client that has said nothing yet, when there is no window. */
  #reason: string | undefined;

  constructor(private readonly wanted: WantedServers) {}

  async start(): Promise<void> {
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
    input.resume();
    for (const [id, method] of this.#open) {
      // The next window gets it and answers.
      if (method === 'initialize') continue;
      const doubt = method === 'tools/call' ? ' The tool may have been carried out.' : '';
      this.#fail(id, `The window of the editor closed before it answered.${doubt}`);
    }
    // After a delay, so that a window that ends each session does not cause a busy loop.
    void delay(LOOK_AGAIN_MS).then(() => this.#connect(RETURN_MS));
  }

  #giveUp(reason: string): void {
    const remedy = 'Open a window of the editor, run "MCP Host: Share Servers with Agents…" in it, and connect again.';
    const message = `${reason} ${remedy}`;
    for (const line of this.#queue) {
      const { id, method } = parse(line);
      if (id !== undefined && method !== undefined) this.#open.set(id, method);
    }
    // A client that has sent nothing yet gets the answer with its first request.
    if (this.#open.size === 0 && this.#windows === 0) {
      this.#reason = message;
      return;
    }
    for (const id of [...this.#open.keys()]) this.#fail(id, message);
    this.#end(1, message);
  }

  #fromClient(line: string): void {
    const message = parse(line);
    const { id, method } = message;
    if (id !== undefined && method !== undefined) this.#open.set(id, method);
    if (this.#reason !== undefined) {
      for (const open of [...this.#open.keys()]) this.#fail(open, this.#reason);
      if (id !== undefined) this.#end(1, this.#reason);
      return;
    }
    this.#remember(line, message);
    if (this.#socket) {
      if (!this.#socket.write(`${line}\n`)) input.pause();
      return;
    }
    // It is repeated anyway.
    if (method === 'initialize' && this.#windows > 0) return;
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
    const { id, method } = parse(line);
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
    if (output.write(text)) return;
    const socket = this.#socket;
    socket?.pause();
    output.once('drain', () => socket?.resume());
  }

  #end(code: number, reason?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    if (reason) process.stderr.write(`${reason}\n`);
    process.exitCode = code;
    // Not `exit`, which would lose what has not been written yet.
    input.destroy();
    output.end();
  }
}

const parse = <T = Message>(line: string) => Object(parsedJson(line)) as T;

/** A frozen window must not keep a bridge from another. */
const ANSWER_MS = 5_000;
const MAX_WELCOME_BYTES = 64 * 1024;

/** Who a bridge is, and what it wants. */
interface WantedServers {
  readonly home: string;
  readonly cwd: string;
  readonly server?: string;
}

/** A connection to the best window, after the greeting; or why there is none. */
async function openWindow(wanted: WantedServers): Promise<Socket | string> {
  const refusals: string[] = [];
  for (const card of inOrder(readCards(wanted.home), wanted.cwd)) {
    if (!isOwnAddress(card.address)) continue;
    const opened = await greet(card, wanted);
    if (typeof opened !== 'string') return opened;
    refusals.push(opened);
  }
  const [refusal = 'No window of the editor shares its MCP servers.'] = refusals.filter(Boolean);
  return refusal;
}

/** Resolves with a reason if the window refuses, an empty one if it is gone. */
function greet({ address, secret }: WindowCard, { cwd, server }: WantedServers): Promise<Socket | string> {
  const hello: Hello = {
    bridge: BRIDGE_PROTOCOL,
    secret,
    pid: process.pid,
    cwd,
    ...(server !== undefined && { server }),
  };
  return new Promise(resolve => {
    const socket = connect(address);
    const over = (result: Socket | string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      if (result !== socket) socket.on('error', () => {}).destroy();
      resolve(result);
    };
    const timer = setTimeout(
      () => over('A window of the editor shares its MCP servers but does not answer.'),
      ANSWER_MS,
    );
    // The window says nothing after a line of its own before it has been answered: no byte of what follows is lost.
    const lines = new LineReader(MAX_WELCOME_BYTES, () => over(''));
    const take = (welcome: Welcome) => {
      if ('title' in welcome) {
        takeName(welcome.title);
        socket.write('{"titled":true}\n');
      } else if ('ok' in welcome) {
        takeName('mcp-host-bridge');
        socket.pause();
        over(socket);
      } else over(welcome.error ? String(welcome.error) : 'The window of the editor is of another version.');
    };
    socket.on('connect', () => socket.write(`${JSON.stringify(hello)}\n`));
    socket.on('data', chunk => {
      for (const line of lines.add(chunk)) take(parse<Welcome>(line));
    });
    socket.on('error', () => over(''));
    socket.on('close', () => over(''));
  });
}

/** Not by `process.title`, which writes over the command line: the window reads that. */
function takeName(name: string): void {
  try {
    writeFileSync('/proc/self/comm', name);
  } catch {
    // Only Linux has it, and only there the window asks for a name.
  }
}

const at = process.argv.indexOf('--server');
const server = at < 0 ? undefined : process.argv[at + 1];
const home = existsSync(path.join(__dirname, 'windows')) ? __dirname : defaultHome();
void new Relay({ home, cwd: process.cwd(), ...(server !== undefined && { server }) }).start();

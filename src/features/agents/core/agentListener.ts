import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import * as path from 'node:path';
import type { Disposable } from '../../../base/events';
import { replaceFileSync } from '../../../base/files';
import { parsedJson } from '../../../base/json';
import { LineReader } from '../../../base/processes';
import { type ListeningPlace, leavePlace, newPlace, whenRemoved } from '../../../gateway';
import { agentProcess, canProve, hasTitle, newTitle } from './agentIdentity';
import { AgentSession, type AgentSessionOptions, type ArrivedAgent } from './agentSession';
import { BRIDGE_PROTOCOL, bridgeIn, cardFolder, type Hello, type Welcome, type WindowCard } from './bridge/windowCards';

interface AgentWindowOptions extends AgentSessionOptions {
  /** The folder that windows and bridges share. */
  readonly home: string;
  readonly folders: () => readonly string[];
}

/** Agents at once. Each that is idle costs some kilobytes. */
const MAX_AGENTS = 128;
/** Connections that have not completed the greeting. */
const MAX_GREETING = 32;
const GREETING_MS = 5_000;
const MAX_HELLO_BYTES = 16 * 1024;

/**
 * Lets agents use the servers of this window: waits for bridges of the same person at a private socket, and leaves the card that
 * leads them there.
 */
export class AgentWindow {
  readonly #sessions = new Set<AgentSession>();
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #expected = digest(this.#secret);
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #greeting = 0;
  #place: ListeningPlace | undefined;
  #watch: Disposable | undefined;
  #moving: Promise<void> | undefined;
  #card: string | undefined;

  constructor(private readonly options: AgentWindowOptions) {
    this.#server = createServer({ allowHalfOpen: true }, socket => this.#greet(socket));
    this.#server.maxConnections = MAX_AGENTS + MAX_GREETING;
  }

  get sessions(): readonly AgentSession[] {
    return [...this.#sessions];
  }

  /** Rejects if there is no private place to listen at. */
  async listen(): Promise<void> {
    const folder = cardFolder(this.options.home);
    await this.#listen();
    this.#card = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
    this.used();
  }

  /** Also elsewhere, if the socket is removed: sessions go on, and the card leads there. */
  async #listen(): Promise<void> {
    const place = await newPlace();
    if (place.kind === 'tcp') throw new Error('There is no folder with a path that is short enough for a socket.');
    this.#place = place;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(place.path, () => resolve(this.#server.off('error', reject) && undefined));
    });
    // Its folder is private already.
    if (place.kind === 'unix') await chmod(place.path, 0o600);
    this.#server.on('error', () => {});
    this.#watch = whenRemoved(place, () => {
      this.#server.close();
      this.#moving = this.#listen().then(
        () => this.used(),
        () => {},
      );
    });
  }

  /** Writes the card anew: the window is used, or has other folders. */
  used(): void {
    if (!this.#card || !this.#place || this.#place.kind === 'tcp') return;
    const card: WindowCard = {
      bridge: BRIDGE_PROTOCOL,
      pid: process.pid,
      address: this.#place.path,
      secret: this.#secret,
      folders: this.options.folders(),
      usedAt: Date.now(),
    };
    replaceFileSync(this.#card, JSON.stringify(card), 0o600);
  }

  /** Ends all sessions and leaves nothing on disk. */
  async close(): Promise<void> {
    const { sessions } = this;
    await this.#moving;
    this.#watch?.dispose();
    if (this.#card) rmSync(this.#card, { force: true });
    this.#card = undefined;
    const closed = this.#server.listening && new Promise<void>(resolve => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    if (this.#place) await leavePlace(this.#place);
    await Promise.allSettled(sessions.map(session => session.close()));
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    const answer = (welcome: Welcome) => socket.write(`${JSON.stringify(welcome)}\n`);
    const over = (error?: string) => {
      done();
      if (error) answer({ error });
      socket.destroySoon();
    };
    if (++this.#greeting > MAX_GREETING) {
      this.#greeting--;
      socket.destroy();
      return;
    }
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      this.#greeting--;
      clearTimeout(timer);
      socket.off('data', read);
      socket.off('close', done);
    };
    const timer = setTimeout(() => over(), GREETING_MS);
    socket.once('close', done);
    let hello: Hello | undefined;
    const title = newTitle();
    const take = (line: string) => {
      if (isDone) return;
      if (!hello) {
        hello = this.#known(line);
        // A wrong guess gets no hint.
        if (!hello) return over();
        if (hello.bridge !== BRIDGE_PROTOCOL) return over('The bridge is of another version than the window.');
        if (this.#sockets.size - this.#greeting >= MAX_AGENTS)
          return over('Too many agents use the servers of this window.');
        // Proofs differ by system: without one, what a bridge says of itself is all there is.
        if (canProve) return void answer({ title });
      }
      socket.pause();
      void this.#admit(socket, hello, title).then(refusal => {
        if (isDone) return;
        if (typeof refusal === 'string') return over(refusal);
        done();
        answer({ ok: true });
        const session = new AgentSession(refusal, this.options);
        this.#sessions.add(session);
        void session.closed.then(() => this.#sessions.delete(session));
      });
    };
    const lines = new LineReader(MAX_HELLO_BYTES, () => over());
    const read = (chunk: Buffer) => {
      for (const line of lines.add(chunk)) take(line);
    };
    socket.on('data', read);
  }

  #known(line: string): Hello | undefined {
    const hello = Object(parsedJson(line)) as Hello;
    const isKnown = typeof hello.secret === 'string' && timingSafeEqual(digest(hello.secret), this.#expected);
    return isKnown && Number.isSafeInteger(hello.pid) && typeof hello.cwd === 'string' ? hello : undefined;
  }

  /** Why the bridge is not let in, or what is known of it. */
  async #admit(socket: Socket, { pid, cwd, server }: Hello, title: string): Promise<ArrivedAgent | string> {
    if (canProve && !(await hasTitle(pid, title)))
      return 'The bridge is not the process that it says it is. It has to run on this machine, outside containers.';
    const process = await agentProcess(pid, cwd, bridgeIn(this.options.home));
    return { socket, process, ...(typeof server === 'string' && { server }) };
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();

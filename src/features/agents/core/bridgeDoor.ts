import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Disposable } from '../../../base/events';
import { replaceFileSync } from '../../../base/files';
import { isSameSecret } from '../../../base/fingerprint';
import { parsedJson } from '../../../base/json';
import { listen } from '../../../base/localServer';
import { LineReader } from '../../../base/processes';
import { type ListeningPlace, leavePlace, newPlace, whenRemoved } from '../../../gateway';
import { canProve, hasTitle, newTitle } from './agentIdentity';
import { BRIDGE_PROTOCOL, type Hello, readCard, removeCard, type Welcome, type WindowCard } from './bridge/windowCards';

/** A bridge that has proved, where the system allows that, that it is a process of the same person. */
export interface ArrivedBridge extends Pick<Hello, 'pid' | 'cwd' | 'server'> {
  readonly socket: Socket;
}

/** A client that was let in, for as long as it is connected. */
export interface BridgeSession {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

interface BridgeDoorOptions<T extends BridgeSession> {
  /** Returns the path of the card that leads bridges to this window, in a private folder. May throw. */
  readonly card: () => string;
  readonly folders: () => readonly string[];
  /** Begins a session, or says why the bridge is not let in. The bridge hears that it may send before it begins. */
  readonly admit: (bridge: ArrivedBridge) => Promise<(() => T) | string>;
}

/** Bridges at once. Each that is idle costs some kilobytes. */
const MAX_BRIDGES = 128;
/** Connections that have not completed the greeting. */
const MAX_GREETING = 32;
const GREETING_MS = 5_000;
const MAX_HELLO_BYTES = 16 * 1024;

/** Waits for bridges of the same person at a private socket, and leaves the card that leads them there. */
export class BridgeDoor<T extends BridgeSession> {
  readonly #sessions = new Set<T>();
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #greeting = 0;
  #place: ListeningPlace | undefined;
  #watch: Disposable | undefined;
  #moving: Promise<void> | undefined;
  #card: string | undefined;

  constructor(private readonly options: BridgeDoorOptions<T>) {
    this.#server = createServer({ allowHalfOpen: true }, socket => this.#greet(socket));
    this.#server.maxConnections = MAX_BRIDGES + MAX_GREETING;
  }

  get sessions(): readonly T[] {
    return [...this.#sessions];
  }

  /** Rejects if there is no private place to listen at. */
  async listen(): Promise<void> {
    // Before anything listens: it throws for a folder that is not private.
    this.options.card();
    await this.#listen();
    // Again: another window that was closed meanwhile has removed a folder without cards.
    this.#card = this.options.card();
    this.used();
  }

  /** Listens at a new place. Called again when the socket is removed: sessions go on, and the card leads to the new one. */
  async #listen(): Promise<void> {
    const place = await newPlace();
    if (place.kind === 'tcp') throw new Error('There is no folder with a path that is short enough for a socket.');
    this.#place = place;
    await listen(this.#server, { path: place.path });
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
    // The window that has taken its place after a reload may have written its own.
    if (this.#card && readCard(this.#card)?.secret === this.#secret) removeCard(this.#card);
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
        if (this.#sockets.size - this.#greeting >= MAX_BRIDGES)
          return over('Too many agents use the servers of this window.');
        // Proofs differ by system: without one, what a bridge says of itself is all there is.
        if (canProve) return void answer({ title });
      }
      socket.pause();
      void this.#admit(socket, hello, title).then(admitted => {
        if (isDone) return;
        if (typeof admitted === 'string') return over(admitted);
        done();
        answer({ ok: true });
        const session = admitted();
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
    const isKnown = typeof hello.secret === 'string' && isSameSecret(hello.secret, this.#secret);
    return isKnown && Number.isSafeInteger(hello.pid) && typeof hello.cwd === 'string' ? hello : undefined;
  }

  async #admit(socket: Socket, { pid, cwd, server }: Hello, title: string): Promise<(() => T) | string> {
    if (canProve && !(await hasTitle(pid, title)))
      return 'The bridge is not the process that it says it is. It has to run on this machine, outside containers.';
    return this.options.admit({ socket, pid, cwd, ...(typeof server === 'string' && { server }) });
  }
}

import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../base/freePort';
import { type Phrase, phrase } from '../../../base/phrase';
import type { ServerConnection } from '../../../host';
import type {
  Admission,
  DebuggedLaunch,
  LaunchCheck,
  LaunchPurpose,
  ServerDefinition,
  ServerId,
} from '../../../host/definition';
import type { ServerEntry } from '../../../host/settings';
import {
  type AttachConfiguration,
  attachConfiguration,
  type DebugWay,
  debugWay,
  LOOPBACK,
  sourceFolders,
  underDebugger,
} from './debugLaunch';

export interface DebugSession {
  /** Resolves when it no longer is. */
  readonly ended: Promise<unknown>;
  end(): void;
}

export interface DebugEvents {
  /** The program is paused, or runs on: the person sees that, and decides on it. */
  paused(isPaused: boolean): void;
  /** The person ends the debugger. */
  left(): void;
}

interface DebuggerPorts {
  /** Attaches a debugger; undefined when it could not. */
  attach(configuration: AttachConfiguration, events: Pick<DebugEvents, 'paused'>): Promise<DebugSession | undefined>;
  changed?(server: ServerConnection): void;
  /** Whether a server is started again, without a debugger, when that is over. */
  readonly startsAgain: boolean;
  log(server: ServerConnection, text: string): void;
  readonly debugpyFolder: string;
  /** How long a debugger has to attach and let the program run. Default: 20 s. */
  readonly patienceMs?: number;
}

/** How the next launch of a server is debugged. */
interface Launch extends DebuggedLaunch {
  way: DebugWay;
  readonly port: number | undefined;
}

const LOOK_MS = 50;
/** A debugger that is slow, on a busy machine, has set its breakpoints by then. */
const PATIENCE_MS = 20_000;
const DEBUG = phrase('you are debugging it');
const DEBUGGED = phrase('it is no longer debugged');

/** Starts servers so that a debugger can attach to them, and again without when that is over. */
export class ServerDebugger implements LaunchCheck {
  /** On which port the next launch waits for a debugger, by server. */
  readonly #next = new Map<ServerId, Launch>();
  readonly #debugged = new Map<ServerConnection, AbortSignal>();

  constructor(private readonly ports: DebuggerPorts) {}

  /** Whether its process was started for a debugger. */
  isDebugged(server: ServerConnection): boolean {
    return this.#debugged.get(server)?.aborted === false;
  }

  /** Puts the launch that a person asked for under the debugger. An automatic restart does not wait for one. */
  admit({ id }: ServerDefinition, entry: ServerEntry, purpose: LaunchPurpose): Admission {
    const next = this.#next.get(id);
    if (purpose !== 'debug' || !next || entry.type !== 'stdio') return { entry };
    this.#next.delete(id);
    // What the person reviewed with this launch, whatever settings said when they asked for it.
    next.way = debugWay(entry) ?? next.way;
    const { known } = next.way;
    const { debugpyFolder } = this.ports;
    const waiting =
      known && next.port !== undefined ? underDebugger(entry, known, { port: next.port, debugpyFolder }) : entry;
    return waiting ? { entry: waiting, debugged: next } : { entry };
  }

  /**
   * Debugs a server until the debugger or its process ends.
   *
   * @param way undefined: none is known. @param name what the debugger calls it. @param onAttached called when the debugger is attached.
   * @returns why it could not, as it completes "It could not be debugged: ".
   */
  async debug(
    server: ServerConnection,
    way: DebugWay | undefined,
    name = server.name,
    onAttached?: () => void,
  ): Promise<Phrase | undefined> {
    const { startsAgain, debugpyFolder } = this.ports;
    const { entry, place } = server.definition;
    if (entry?.type !== 'stdio') return phrase('it is not a program on this machine');
    if (!way) return phrase('no debugger is known for it. Name one in "dev.debug" of its entry.');
    const { known, own } = way;
    if (known && !underDebugger(entry, known, { port: 0, debugpyFolder }))
      return phrase('no Python is named in its command line');
    const port = known ? await freePort() : typeof own.port === 'number' ? own.port : undefined;
    const next = { way, port, isAttached: false, over: startsAgain ? DEBUGGED : undefined };
    this.#next.set(server.id, next);
    const { attempts } = server;
    const isConfined = () => server.attempts !== undefined && server.attempts !== attempts;
    const started = server.restart(DEBUG, 'debug');
    const over = new AbortController();
    const waits = new AbortController();
    const states = server.onDidChangeState(state => {
      if (state.kind !== 'starting') waits.abort();
      const isSame = state.kind === 'ready' || (state.kind === 'starting' && state.isSlow);
      if (!isSame) over.abort();
    });
    if (server.state.kind !== 'starting') over.abort();
    this.#debugged.set(server, over.signal);
    this.ports.changed?.(server);
    let door: Socket | undefined;
    try {
      const limitMs = entry.timeouts.startMs;
      if (port === undefined) await started;
      else {
        door = await untilOpen(port, limitMs, () => over.signal.aborted || isConfined());
        if (!door && isConfined()) return CONFINED;
        if (!door && !over.signal.aborted)
          return phrase('its program did not wait for a debugger within {0} s', limitMs / 1_000);
      }
      if (over.signal.aborted) return endOf(server);
      const folders = sourceFolders(server.definition, entry);
      const configuration = attachConfiguration(next.way, name, { cwd: entry.cwd ?? place.base, folders, port });
      let isSeen = false;
      if (known === 'node' && port !== undefined) void this.#letRun(server, port, () => isSeen, waits.signal);
      const paused = (isPaused: boolean) => {
        isSeen ||= isPaused;
      };
      const attached = await this.ports.attach(configuration, { paused });
      door?.destroy();
      if (!attached) return over.signal.aborted ? endOf(server) : phrase('the debugger did not attach');
      next.isAttached = true;
      onAttached?.();
      const end = () => attached.end();
      over.signal.addEventListener('abort', end);
      if (over.signal.aborted) end();
      await attached.ended;
      return undefined;
    } finally {
      waits.abort();
      states.dispose();
      door?.destroy();
      if (this.#next.get(server.id) === next) this.#next.delete(server.id);
      const { kind } = server.state;
      const isStill = !over.signal.aborted;
      over.abort();
      if (this.#debugged.get(server) === over.signal) {
        this.#debugged.delete(server);
        if (startsAgain && (isStill || kind === 'failed')) void server.restart(DEBUGGED);
      }
      this.ports.changed?.(server);
    }
  }

  /** A debugger may be attached and yet never let the program run: then the server would be starting for ever. */
  async #letRun(server: ServerConnection, port: number, isSeen: () => boolean, signal: AbortSignal): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.ports;
    await delay(patienceMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || server.state.kind !== 'starting' || isSeen()) return;
    this.ports.log(server, `its program has waited for the debugger for ${patienceMs / 1_000} s: it is told to run`);
    await letRun(port, isSeen, signal);
  }
}

const CONFINED = phrase(
  'it is confined, where no debugger can reach it. Set "sandbox": false in its entry for as long as you debug it.',
);

/**
 * Waits until its program listens. @returns a connection to it, to be kept until the debugger has one: debugpy ends when its last
 * client goes. Undefined: that was not so in time, or `isOver` says that it will not be.
 */
async function untilOpen(port: number, limitMs: number, isOver: () => boolean): Promise<Socket | undefined> {
  const until = performance.now() + limitMs;
  while (!isOver() && performance.now() < until) {
    const socket = await connected(port);
    if (socket) return socket;
    await delay(LOOK_MS);
  }
  return undefined;
}

/** The reason why its process ended; undefined: it was requested. */
function endOf({ state }: ServerConnection): Phrase | undefined {
  if (!('error' in state)) return undefined;
  const { stderrTail, phrases } = state.error;
  if (stderrTail.some(line => /No module named '?debugpy/.test(line)))
    return phrase('its Python lacks debugpy. Install it there: {0}', 'python -m pip install debugpy');
  return phrase('it is not running: {0}', phrases.reason);
}

function connected(port: number): Promise<Socket | undefined> {
  return new Promise(resolve => {
    const socket = connect(port, LOOPBACK);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** A list of what can be inspected has one entry of a few hundred characters. */
const MAX_LIST = 64 * 1024;

/** Delay before reconnecting when a session fails or reports no pause. */
const AGAIN_MS = 2_000;

/**
 * Lets a program run that still waits in Node's inspector, or is paused at its start, though a debugger is attached. One that
 * already runs is left alone. Resolves when it is no longer to be watched.
 *
 * @param isSeen whether the person sees that it is paused: then it stays so.
 * @param signal ends the watch.
 */
export async function letRun(port: number, isSeen: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const url = await inspectorUrl(port);
    const session = url && !signal.aborted ? join(url, isSeen, signal) : undefined;
    // However long a busy machine takes for it.
    await session?.joined;
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    session?.close();
  }
}

/** A session that says once what is to be done. `joined` resolves when all of it was answered, or nothing more will be. */
function join(url: string, isSeen: () => boolean, signal: AbortSignal): { joined: Promise<void>; close(): void } {
  const socket = new WebSocket(url);
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  /** Events before the answer to `Debugger.enable` describe the earlier state. */
  let isEarlier = true;
  socket.onopen = () => {
    send(1, 'Debugger.enable');
    send(2, 'Runtime.runIfWaitingForDebugger');
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as InspectorMessage;
    if (id === 1) isEarlier = false;
    if (id === 2) resolve();
    if (method !== 'Debugger.paused') return;
    const isAtStart = isEarlier || params?.reason === 'Break on start';
    if (isAtStart && !isSeen()) send(3, 'Debugger.resume');
  };
  // The next one may succeed; without any, the debugger decides alone.
  socket.onerror = () => {};
  socket.onclose = () => resolve();
  signal.addEventListener('abort', () => socket.close(), { once: true });
  return { joined, close: () => socket.close() };
}

/** A message of the Chrome DevTools Protocol. */
interface InspectorMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly reason?: string };
}

/** Where Node's inspector takes a session; undefined: it does not answer. */
function inspectorUrl(port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const request = get({ host: LOOPBACK, port, path: '/json/list' }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_LIST) request.destroy();
      });
      response.on('close', () => resolve(/"webSocketDebuggerUrl":\s*"(ws:[^"]+)"/.exec(text)?.[1]));
    });
    request.on('error', () => resolve(undefined));
  });
}

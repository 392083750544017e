// The tests' side of the fixtures: finding, starting, watching and ending them.
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inRepository } from '../setup/paths';
import { patience } from '../setup/patience';
import { killGroup, spawnGroup } from '../setup/processes';
import { waiting } from '../setup/spent';
import type { SeenRequest } from './http/requestLog';
import { eachLine } from './raw/lines';

/** The compiled fixture `name`, as an absolute path. Throws with the remedy when it was not built. */
export function fixturePath(name: string): string {
  const file = inRepository('out', 'servers', `${name}.js`);
  if (!fs.existsSync(file)) throw new Error(`${file} is missing: run \`node esbuild.js --tests\` first`);
  return file;
}

/** Whether the process exists and has not ended: one that waits to be reaped is not alive. */
export function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    // After the name in parentheses, which may itself hold anything, comes the state.
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export interface WaitOptions {
  /** 20 seconds unless said otherwise: a busy machine is no reason to fail. */
  timeoutMs?: number;
  /** What is waited for, for the error; a function is asked when the time is up, so that it can tell the last state. */
  what: string | (() => string);
}

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/**
 * Polls until `condition` answers with something truthy, and returns that. A condition that throws is not yet met.
 * @throws Error that says what was waited for, with the last failure as its cause.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 20_000, what }: WaitOptions,
): Promise<Truthy<T>> {
  const started = Date.now();
  const end = started + timeoutMs * patience();
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() >= end) {
      const text = typeof what === 'string' ? what : what();
      throw new Error(`Waited ${timeoutMs} ms for ${text}`, { cause });
    }
    // What takes long is looked for less often: each look costs the busy a part of a processor.
    await waiting(() => delay(Math.min(100, Math.max(15, (Date.now() - started) / 10))));
  }
}

/** Asserts until it holds. @throws the last failure of the assertion. */
export async function untilHolds(assertion: () => unknown, options: Partial<WaitOptions> = {}): Promise<void> {
  const holds = async () => {
    await assertion();
    return true;
  };
  await waitFor(holds, { what: 'an assertion to hold', ...options }).catch(error => {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  });
}

/** A fixture that runs, with what it has printed so far. */
export interface Fixture {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Whole lines, without their ends. */
  readonly stdout: string[];
  readonly stderr: string[];
  /** Resolves with the exit code, or with the signal that ended it. What it has printed may come later. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Ends its stdin, as a client does, and kills it if it is still there after `graceMs` (2 seconds); its children too. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts a script with this process's own Node, in a process group that never outlives this process. */
export function startScript(file: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Fixture {
  const child = spawnGroup(process.execPath, [file, ...args], {
    stdio: 'pipe',
    // In a desktop extension host execPath is Electron.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ...env },
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  child.stdout?.on(
    'data',
    eachLine(line => stdout.push(line)),
  );
  child.stderr?.on(
    'data',
    eachLine(line => stderr.push(line)),
  );
  // Writing to a fixture that has died is part of the tests.
  child.stdin?.on('error', () => undefined);
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
  async function stop(graceMs = 2_000): Promise<void> {
    child.stdin?.end();
    const timer = setTimeout(() => killGroup(child), graceMs);
    await exited;
    clearTimeout(timer);
    killGroup(child); // a grandchild, if there is one
  }
  return { pid: child.pid ?? -1, child, stdout, stderr, exited, stop };
}

/** A fixture that serves HTTP on a port of its own. */
export interface HttpServerFixture extends Fixture {
  readonly port: number;
  /** The address of a path that begins with a slash. */
  url(path: string): string;
}

/** Starts a fixture that prints `listening <port>` on stdout, and waits for that line. */
export async function startHttpServer(name: string, args: string[] = []): Promise<HttpServerFixture> {
  const fixture = startScript(fixturePath(name), args);
  try {
    const port = await waitFor(
      () => Number(fixture.stdout.map(line => /^listening (\d+)$/.exec(line)?.[1]).find(Boolean)),
      { what: () => `${name} to listen; it said: ${fixture.stderr.join('\n')}` },
    );
    return { ...fixture, port, url: path => `http://127.0.0.1:${port}${path}` };
  } catch (error) {
    await fixture.stop();
    throw error;
  }
}

/** The fixture of `test/servers/http.ts`; its paths are listed there. */
export interface HttpFixture extends HttpServerFixture {
  /** The requests seen so far, in order. */
  requests(): Promise<SeenRequest[]>;
  forgetRequests(): Promise<void>;
  /** Makes the server forget the sessions of `/mcp` and `/sse`, as a restart would: it answers them with 404. */
  forgetSessions(): Promise<void>;
  /** The key that `/keyed` wants from now on. */
  wantKey(key: string): Promise<void>;
  /** Breaks off the streams of `/modern`. */
  breakStreams(): Promise<void>;
}

/** Starts the HTTP fixture and waits until it listens. */
export async function startHttpFixture(): Promise<HttpFixture> {
  const server = await startHttpServer('http');
  const control = (path: string, method: string) => fetch(server.url(path), { method });
  return {
    ...server,
    requests: async () => (await (await control('/__requests', 'GET')).json()) as SeenRequest[],
    forgetRequests: async () => void (await control('/__requests', 'DELETE')),
    forgetSessions: async () => void (await control('/__sessions', 'DELETE')),
    wantKey: async key => void (await control(`/__key?is=${encodeURIComponent(key)}`, 'PUT')),
    breakStreams: async () => void (await control('/__streams', 'DELETE')),
  };
}

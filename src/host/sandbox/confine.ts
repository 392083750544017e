import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Duplex } from 'node:stream';
import { HostError } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { type Launch, programOf } from '../transport/processGroup';
import { hostText, type SandboxAttempts } from './attempts';
import { bubblewrapOptions, FILTER_FD, OPTIONS_FD, PROXY_FD } from './bubblewrap';
import { type Bubblewrap, findBubblewrap, type Missing } from './bubblewrapProgram';
import { type SandboxGrant, sandboxFolder } from './confinement';
import { FilteringProxy } from './proxy';
import { allowsHost, type SandboxRules } from './rules';
import { isHidden, isWritable, PolicyError, policyOf, type SandboxPolicy } from './sandboxPolicy';
import { systemCallFilter } from './seccomp';

/** What is known of a server that is to be confined, beside its launch. */
export interface ConfineOptions {
  readonly id: string;
  readonly name: string;
  readonly rules: SandboxRules;
  /** Folders that it is told of. */
  readonly roots: readonly string[];
  /** See `LaunchPlace`. */
  readonly base: string;
  /** Where folders of confined servers are kept. */
  readonly storage: string;
  /** Path of the program that passes connections on: `bridge.ts`. */
  readonly bridge: string;
  /** For its log, in English. */
  note(text: string): void;
  /** What the person has allowed it beside its entry, at any time. */
  granted?(): SandboxGrant;
  /** Asks the person about a host; its connection waits meanwhile. Absent: nobody is asked. */
  askHost?(host: string): Promise<boolean>;
  /** What becomes of what it wants. */
  readonly attempts: SandboxAttempts;
}

/** A launch that starts a program in its sandbox. */
export interface ConfinedLaunch extends Launch {
  /** Called with the process, as soon as it was started. */
  attach(child: ChildProcess): void;
  /** The server is ready: what it was fetched from is no longer reached. */
  settle(): void;
  /** The process is gone. */
  end(): void;
}

/** The port of the proxy, in a network that the server has for itself. */
const PORT = 3128;
const CLOSED_ON_EXEC = 0o2000000;
let found: Promise<Bubblewrap | Missing> | undefined;
/** How many servers have a folder that stands where nothing is. */
const standIns = new Map<string, number>();

/**
 * Puts a launch into a sandbox that keeps its rules; it is never started otherwise.
 *
 * @throws HostError when nothing can be confined here, or the rules can't be kept; Node's error when there is no such program.
 */
export async function confine(launch: Launch, options: ConfineOptions): Promise<ConfinedLaunch> {
  const { id, name, rules, roots, base, storage, bridge, note } = options;
  const { args, cwd, env } = launch;
  const program = programOf(launch, true);
  if (!existsSync(program) || !existsSync(cwd)) {
    throw Object.assign(new Error(`spawn ${launch.command} ENOENT`), {
      code: 'ENOENT',
      syscall: `spawn ${launch.command}`,
    });
  }
  const engine = await bubblewrap();
  if ('reason' in engine) throw new HostError({ ...engine, code: 'NO_SANDBOX', server: name, action: phrase('start') });
  const folder = sandboxFolder(storage, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const helpers = [process.execPath, bridge];
  const sockets = rules.sockets || options.granted?.().sockets;
  const wanted = {
    rules: { ...rules, sockets },
    program,
    args,
    cwd,
    env,
    roots,
    base,
    home: homedir(),
    folder,
    helpers,
  };
  const policy = await policyOf(wanted).catch(error => {
    if (!(error instanceof PolicyError)) throw error;
    const remedy = phrase('Correct "sandbox" in its settings entry.');
    throw new HostError({ code: 'SANDBOX_RULES', server: name, action: phrase('start'), reason: error.phrase, remedy });
  });
  for (const text of policy.notes) note(text);
  options.attempts.hides = path => isHidden(policy, path);
  options.attempts.canChange = path => isWritable(policy, path);
  return inBubblewrap(launch, program, policy, engine, options);
}

/** Why nothing can be confined on this machine now. Undefined: it can. */
export async function whyUnable(): Promise<Missing | undefined> {
  const engine = await bubblewrap();
  return 'reason' in engine ? engine : undefined;
}

/** Bubblewrap as it works here; looked for again until it does. */
async function bubblewrap(): Promise<Bubblewrap | Missing> {
  found ??= findBubblewrap();
  const result = await found;
  if ('reason' in result) found = undefined;
  return result;
}

function inBubblewrap(
  { args, cwd }: Launch,
  program: string,
  policy: SandboxPolicy,
  { path, extras }: Bubblewrap,
  { bridge, attempts, granted, askHost }: ConfineOptions,
): ConfinedLaunch {
  let isReady = false;
  const agreed = () => [...policy.hosts, ...(granted?.().network ?? []), ...(isReady ? [] : policy.fetchesFrom)];
  const hosts = () => (attempts.isWatched ? [...agreed(), '*'] : agreed());
  const asked = (host: string, port: number, isAllowed: boolean) =>
    attempts.asked(host, port, isAllowed && allowsHost(agreed(), host, port));
  const wants = (host: string, port: number) => askHost?.(hostText(host, port)) ?? Promise.resolve(false);
  const isOnline = askHost !== undefined || hosts().length > 0;
  const env = isOnline ? { ...policy.env, ...proxyVariables(hosts()) } : policy.env;
  const command = isOnline ? [process.execPath, bridge, String(PROXY_FD), String(PORT), program] : [program];
  const made = policy.places.filter(({ isMissing }) => isMissing).map(({ path: place }) => place);
  for (const place of made) standIns.set(place, (standIns.get(place) ?? 0) + 1);
  return {
    command: path,
    args: ['--args', String(OPTIONS_FD), '--', ...command, ...args],
    // Its own, outside of the sandbox: nothing that an entry says may have a part in it.
    env: {},
    cwd: '/',
    stdio: [...pipes(isOnline ? PROXY_FD : FILTER_FD), ...overLeaks(isOnline ? PROXY_FD : FILTER_FD)],
    attach: child => {
      const [options, rules, way] = [OPTIONS_FD, FILTER_FD, PROXY_FD].map(fd => child.stdio[fd] as Duplex | undefined);
      for (const stream of [options, rules]) stream?.on('error', () => {});
      options?.end(
        bubblewrapOptions({ ...policy, env }, cwd, extras)
          .map(option => `${option}\0`)
          .join(''),
      );
      rules?.end(systemCallFilter(process.arch, policy.mayOpenSockets));
      child.stdout?.on('data', chunk => attempts.answered(chunk));
      if (isOnline && way) new FilteringProxy({ hosts, asked, wants }).serveOver(way);
    },
    settle: () => {
      isReady = true;
    },
    end: () => {
      for (const place of made) leave(place);
    },
  };
}

/** The bridge takes connections here. What a program asks of its own machine stays there, unless that host was agreed to. */
function proxyVariables(hosts: readonly string[]): Record<string, string> {
  const url = `http://127.0.0.1:${PORT}`;
  const own = ['localhost', '127.0.0.1', '::1'].filter(name => !hosts.some(host => host.startsWith(name))).join(',');
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  return {
    ...Object.fromEntries(names.map(name => [name, url])),
    ...{ NO_PROXY: own, no_proxy: own, NODE_USE_ENV_PROXY: '1' },
    // For the bridge, where the editor's program is the Node that runs it.
    ELECTRON_RUN_AS_NODE: '1',
  };
}

const pipes = (last: number): 'pipe'[] => Array.from({ length: last + 1 }, () => 'pipe');

/** Descriptors that whoever started the editor left open, and that any process would inherit: each leads nowhere there. */
function overLeaks(last: number): ('ignore' | number)[] {
  const isLeak = (fd: number) => {
    try {
      const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
      return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
    } catch {
      return false;
    }
  };
  const leaks = new Set(
    readdirSync('/proc/self/fd')
      .map(Number)
      .filter(fd => fd > last && isLeak(fd)),
  );
  if (leaks.size === 0) return [];
  nowhere ??= openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...leaks) - last }, (_, at) => (leaks.has(at + last + 1) ? nowhere! : 'ignore'));
}
let nowhere: number | undefined;

/** Removes a folder that stood where nothing was, with the last server that needed it. Others may have put something into it. */
function leave(place: string): void {
  const count = (standIns.get(place) ?? 1) - 1;
  if (count > 0) {
    standIns.set(place, count);
    return;
  }
  standIns.delete(place);
  try {
    rmdirSync(place);
  } catch {
    // It is in use by now, or was never made.
  }
}

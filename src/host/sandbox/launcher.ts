import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createFile } from '../../base/files';
import { type AdmittedLaunch, runsUnconfined } from '../definition/launchGate';
import type { ProgramPorts } from '../definition/ports';
import { CachedPackage, type PackagePorts } from '../launch/cachedPackage';
import { launchEnvironment } from '../launch/environment';
import { type Launch, releaseGroup, signalGroup, spawnGroup } from '../launch/processGroup';
import { endOfSession, signalOtherGroups } from '../launch/processSession';
import type { SandboxAttempts } from './attempts';
import type { Sandbox, sandboxFor } from './confine';
import { type ConfinedLaunch, confinementOf } from './confinement';

/** Without the gate, which a launch has passed. */
export type LauncherPorts = Omit<ProgramPorts, 'launch'> & {
  /** Absent: every package is started by its runner. */
  readonly packages?: PackagePorts;
};

/** A program that runs for a server in place of the one that its entry names. Of the entry's environment it gets nothing. */
interface OtherProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program that can be started, and again after it has ended. */
export interface LaunchableProgram {
  /** The folder that it runs in. */
  readonly cwd: string;
  /** What its sandbox blocks. Undefined: it is not confined. */
  readonly attempts: SandboxAttempts | undefined;
  /** @throws HostError when it can't be confined. */
  ready(): Promise<ReadyProgram>;
}

/**
 * Prepares a program that runs for a server, whatever for: its sandbox and its environment. Each of these programs starts
 * here, after its launch has passed a gate.
 *
 * @param note writes a line into the server's log. @param other see `OtherProgram`.
 * @throws HostError when it must not run without a sandbox that is not possible.
 */
export async function launch(
  admitted: AdmittedLaunch,
  ports: LauncherPorts,
  note: (text: string) => void,
  other?: OtherProgram,
): Promise<LaunchableProgram> {
  const { definition, entry } = admitted;
  const named = other ?? (entry.type === 'stdio' ? entry : undefined);
  if (!named) throw new Error(`${definition.name} is no program.`);
  const [shellPath, sandbox] = await Promise.all([ports.shellPath(), sandboxIn(admitted, ports, note, other)]);
  const { clearOf, inOwnFolder } = definition.place;
  const { command, args, cwd = homedir(), env: own } = named;
  const sources = { shellPath, own, clearOf };
  const inherited = sandbox && Object.entries(process.env).filter(([variable]) => sandbox.inherits(variable));
  const env = launchEnvironment(inherited ? { ...sources, inherited: Object.fromEntries(inherited) } : sources);
  const program: Launch = { command, args, env, cwd, clearOf, makesFolder: inOwnFolder && !other };
  // What a sandbox allows depends on the runner, whose cache is one of its own there.
  const mayBeCached = ports.packages && !sandbox && !other && admitted.purpose === 'server';
  const cached = mayBeCached ? CachedPackage.of(program, ports.packages, note) : undefined;
  return {
    cwd,
    attempts: sandbox?.attempts,
    ready: () => readyProgram(program, sandbox && (open => loadSandbox().confine(open, sandbox)), cached),
  };
}

/**
 * The sandbox of a server's program. One that stands in its place, as a build does, runs files that the server may have
 * written: it is confined like the server, by rules of its own (`dev.sandbox`), by default with its folder writable.
 */
async function sandboxIn(
  { purpose, definition, entry }: AdmittedLaunch,
  ports: LauncherPorts,
  note: (text: string) => void,
  other: OtherProgram | undefined,
): Promise<Sandbox | undefined> {
  if (runsUnconfined(purpose) || entry.type !== 'stdio') return undefined;
  if (!other) {
    if (!ports.sandbox.runsFreeOnce(definition)) return sandboxOf({ ...definition, entry }, ports, note);
    note('it is not confined this time: you run it so once');
    return undefined;
  }
  const { command, args, cwd } = other;
  const own = entry.dev?.sandbox;
  const built = { ...entry, command, args: [...args], sandbox: own ?? entry.sandbox };
  const sandbox = await sandboxOf({ ...definition, entry: built }, ports, note);
  if (!sandbox || own) return sandbox;
  const { rules } = sandbox;
  return { ...sandbox, rules: { ...rules, write: [...(rules.write ?? []), cwd] } };
}

/** What confining programs takes is a bundle of its own (esbuild.js). */
const loadSandbox = () => require('./index') as typeof import('./index');

/** How a program is confined; undefined: it isn't. @throws as `sandboxFor` */
async function sandboxOf(...[definition, ports, note]: Parameters<typeof sandboxFor>): Promise<Sandbox | undefined> {
  const { sandbox: port } = ports;
  const { kind } = confinementOf(definition, port.setting(), process, port.isWatched(definition));
  return kind === 'free' ? undefined : loadSandbox().sandboxFor(definition, ports, note);
}

/** A program that was started, and everything that it has started itself: its process group, its session, and its sandbox. */
export class StartedProgram {
  #killing: NodeJS.Timeout | undefined;
  /** When what is left is killed, as `performance.now()` counts. Undefined: nothing was asked to end. */
  #deadline: number | undefined;

  constructor(
    readonly child: ChildProcess,
    private readonly confined: ConfinedLaunch | undefined,
    private readonly cached?: CachedPackage,
  ) {
    confined?.attach?.(child);
  }

  /** Asks all its processes to end, and kills those that are still there after `patienceMs`. */
  end(patienceMs: number): void {
    const { pid } = this.child;
    if (pid === undefined || this.#deadline !== undefined) return;
    this.#deadline = performance.now() + patienceMs;
    if (this.confined) this.confined.askToEnd(pid);
    else {
      signalGroup(pid, 'SIGTERM');
      void signalOtherGroups(pid, 'SIGTERM');
    }
    this.#killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs);
  }

  /**
   * Resolves when its processes have ended or their time is up. Its leader may be a wrapper such as `npx`, which ends at once, while
   * the server that it has started still cleans up. Resolves immediately when they were not asked to end.
   */
  async ended(): Promise<void> {
    const { pid } = this.child;
    if (pid !== undefined && this.#deadline !== undefined) await endOfSession(pid, this.#deadline - performance.now());
  }

  /** The server is ready: a sandbox no longer lets it fetch what it runs. */
  settle(): void {
    this.confined?.settle();
    void this.cached?.settle();
  }

  /** Kills what is left of its processes and removes its sandbox. Resolves when that is done. */
  async release(): Promise<void> {
    clearTimeout(this.#killing);
    this.cached?.release();
    this.#deadline ??= 0; // its id may soon be another's: it is not signalled again
    const { pid } = this.child;
    if (pid !== undefined) releaseGroup(pid);
    await Promise.all([pid !== undefined && signalOtherGroups(pid, 'SIGKILL'), this.confined?.end()]);
  }
}

/** A program whose sandbox is there. Either of its methods is called, once. */
class ReadyProgram {
  constructor(
    private readonly launch: Launch,
    private readonly confined: ConfinedLaunch | undefined,
    private readonly cached: CachedPackage | undefined,
  ) {}

  /** Starts it. Failure arrives as the child's `error` event, or is thrown: see `spawnGroup`. */
  start(): StartedProgram {
    try {
      return new StartedProgram(spawnGroup(this.confined ?? this.launch), this.confined, this.cached);
    } catch (error) {
      this.cached?.release();
      void this.drop();
      throw error;
    }
  }

  /** Removes its sandbox. */
  async drop(): Promise<void> {
    await this.confined?.end();
  }
}

/** Makes what a program needs to start: its folder, and its sandbox if it is to have one. @throws as `confine` */
export async function readyProgram(
  launch: Launch,
  confine?: (launch: Launch) => Promise<ConfinedLaunch>,
  cached?: CachedPackage,
): Promise<ReadyProgram> {
  if (launch.makesFolder) await makeEmptyFolder(launch.cwd);
  return new ReadyProgram((await cached?.toStart()) ?? launch, await confine?.(launch), cached);
}

/** Creates an empty project, so that programs which search parent folders for one stop here. */
async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createFile(join(folder, 'package.json'), '{ "private": true }\n').catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

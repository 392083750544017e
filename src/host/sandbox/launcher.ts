import { homedir } from 'node:os';
import { HostError } from '../../base/errors';
import { phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import { type AdmittedLaunch, runsUnconfined } from '../definition/launchGate';
import type { ProgramPorts } from '../definition/ports';
import type { Launch } from '../launch/processGroup';
import type { SandboxAttempts } from './attempts';
import { environmentIn, inSandbox, sandboxOf } from './inSandbox';
import type { Sandbox } from './sandbox';
import { type ReadyProgram, readyProgram } from './startedProgram';

/** Without the gate, which a launch has passed. */
export type LauncherPorts = Omit<ProgramPorts, 'launch'>;

/** A program that runs for a server in place of the one that its entry names. Of the entry's environment it gets nothing. */
export interface OtherProgram {
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
 * @throws HostError when its `envFile` can't be read, or when it must not run without a sandbox that is not possible.
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
  const envFilePath = 'envFile' in named ? named.envFile : undefined;
  const [shellPath, envFile, sandbox] = await Promise.all([
    ports.shellPath(),
    envFilePath === undefined ? undefined : readEnvFile(definition, envFilePath, ports),
    sandboxIn(admitted, ports, note, other),
  ]);
  const { clearOf, inOwnFolder } = definition.place;
  const { command, args, cwd = homedir(), env: own } = named;
  const env = environmentIn(sandbox, { shellPath, envFile, own, clearOf });
  const program: Launch = { command, args, env, cwd, clearOf, makesFolder: inOwnFolder && !other };
  return {
    cwd,
    attempts: sandbox?.attempts,
    ready: () => readyProgram(program, sandbox && (confined => inSandbox(confined, sandbox))),
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

async function readEnvFile({ name }: ServerDefinition, path: string, ports: LauncherPorts): Promise<string> {
  try {
    return await ports.readFile(path);
  } catch (error) {
    throw new HostError({
      code: 'INVALID_SETTINGS',
      server: name,
      action: phrase('start'),
      reason: phrase('its "envFile" {0} could not be read', path),
      remedy: phrase('Create the file, or remove "envFile" from the settings entry.'),
      cause: error,
    });
  }
}

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fingerprint } from '../../base/fingerprint';
import type { Phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import { powerOf } from '../launch/environment';
import { ecosystemOf } from '../launch/knownPrograms';
import type { Launch } from '../launch/processGroup';
import { fetchedBy, programsOf } from '../launch/runChain';
import { type ProgramEntry, programIn } from '../settings';
import type { SandboxRules, SandboxSetting } from '../settings/sandboxRules';
import type { ReachableHosts } from './proxy';
import type { SandboxPolicy, TempFolders } from './sandboxPolicy';

/** What identifies a launched server, except its name. */
export type LaunchedServer = Pick<ServerDefinition, 'launch' | 'source' | 'place' | 'reviewed'>;

/**
 * Identifies a confined program by a SHA-256 of what is launched, by which settings, from which folder. Two servers of a
 * repository never share it, even with the same name or command, because files in the folder influence what is fetched.
 */
export function sandboxIdentity({
  launch,
  source: { scope, folder },
  place: { base },
  reviewed,
}: LaunchedServer): string {
  const cwd = reviewed && programIn(reviewed)?.cwd;
  return fingerprint({ launch, scope, folder: folder?.path, base, cwd });
}

/** The folder of a confined server, with its caches in it. @param storage where all of them are */
export const sandboxFolder = (storage: string, server: LaunchedServer): string =>
  join(storage, sandboxIdentity(server).slice(0, 32));

/** The folder for what appeared where confined programs may write, and was moved away. @param storage of their caches */
export const asideFolder = (storage: string): string => `${storage}-aside`;

/** Whether and how a server is to be confined. */
type Confinement =
  | { readonly kind: 'confined'; readonly rules: SandboxRules; readonly isAsked: boolean }
  /** It runs with all rights of the person, as it should. */
  | { readonly kind: 'free' }
  /** It can't be confined: this platform can't, or it is a container or an address. `isAsked`: its entry demands it. */
  | { readonly kind: 'unable'; readonly why: 'platform' | 'container' | 'address'; readonly isAsked: boolean };

/** Where it runs. Default: this machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
}

export function engineFor({ platform, arch }: Machine): 'bubblewrap' | 'seatbelt' | undefined {
  if (platform === 'darwin') return 'seatbelt';
  return platform === 'linux' && (arch === 'x64' || arch === 'arm64') ? 'bubblewrap' : undefined;
}

/**
 * Combines the entry and the person's setting. Entries of a workspace can't switch off what the setting demands: their
 * `false` is ignored, and lists in them are part of the launch that a person consents to.
 * @param isWatched whether the person watches what the server needs: it is then always confined.
 */
export function confinementOf(
  { entry, source, fromWorkspace }: Pick<ServerDefinition, 'entry' | 'source' | 'fromWorkspace'>,
  setting: SandboxSetting,
  machine: Machine = process,
  isWatched = false,
): Confinement {
  const program = entry && programIn(entry);
  if (!program) return { kind: 'free' };
  const { sandbox } = program;
  const isDemanded = setting === 'all' || (setting === 'workspaceServers' && fromWorkspace);
  const isAsked = isWatched || (sandbox !== undefined && sandbox !== false);
  const isExempt = sandbox === false && source.scope === 'user';
  if (!isAsked && (!isDemanded || isExempt)) return { kind: 'free' };
  if (!engineFor(machine)) return { kind: 'unable', why: 'platform', isAsked };
  if (isContainer(program, fromWorkspace)) return { kind: 'unable', why: 'container', isAsked };
  if (program.url !== undefined) return { kind: 'unable', why: 'address', isAsked };
  return { kind: 'confined', rules: typeof sandbox === 'object' ? sandbox : {}, isAsked };
}

/**
 * Whether it runs nothing but a container engine. A shell may run more. In a workspace entry, only the engine that the system
 * provides counts, because its name could be redirected to a program of the workspace.
 */
function isContainer({ command, args, env, envFile }: ProgramEntry, fromWorkspace: boolean): boolean {
  const chain = programsOf(command, args);
  if (!('programs' in chain)) return false;
  const { programs } = chain;
  const engine = programs.find(({ known }) => known?.kind !== 'wrapper');
  const fetched = engine && fetchedBy(engine);
  if (!fetched || ecosystemOf(fetched.runner) !== 'image') return false;
  if (!fromWorkspace) return true;
  const isInstalled = !/[\\/]/.test(command) || /^\/(usr|bin|opt|snap|nix)\//.test(command);
  const isPlain = Object.keys(env).every(name => ['network', undefined].includes(powerOf(name)));
  return programs.length === 1 && isInstalled && isPlain && envFile === undefined;
}

/** Why nothing can be confined on this machine now. Undefined: it can. What finds out is a bundle of its own (esbuild.js). */
export function whyUnable(): Promise<Missing | undefined> {
  const sandbox = require('./index') as typeof import('./index');
  return sandbox.whyUnable();
}

/** Enforces policies on this system. */
export interface Engine {
  /** Our own files that run in the sandbox. @param bridge the one that passes connections on */
  helpers(bridge: string): readonly string[];
  /** Called for each program. Creates its own temporary folder where the engine needs one. */
  temp(): TempFolders;
  launch(confined: ReadyToConfine): Promise<ConfinedLaunch>;
}

export interface ReadyToConfine {
  readonly launch: Launch;
  /** Absolute path. */
  readonly program: string;
  readonly policy: SandboxPolicy;
  readonly network: ReachableHosts;
  /** Path of the program that passes connections on. */
  readonly bridge: string;
  /** Folders that other confined programs may change, which run now. */
  changed(): Promise<readonly string[]>;
  /** For its log, in English. */
  note(text: string): void;
}

/** A launch that starts a program in its sandbox. */
export interface ConfinedLaunch extends Launch {
  /** Called with the process, as soon as it was started. */
  attach?(child: ChildProcess): void;
  /** Asks all processes in the sandbox to end. @param pid of the started process */
  askToEnd(pid: number): void;
  /** Called when the server is ready: hosts that its packages came from can no longer be reached. */
  settle(): void;
  /** Cleans up after the process has ended. */
  end(): Promise<void>;
}

/** Why nothing can be confined here. */
export interface Missing {
  readonly reason: Phrase;
  readonly remedy: Phrase;
  readonly isInstalled: boolean;
}

import { join } from 'node:path';
import { fingerprint } from '../../base/fingerprint';
import type { ServerDefinition } from '../definition/definition';
import { ecosystemOf } from '../launch/knownPrograms';
import { powerOf } from '../launch/powerfulVariables';
import { fetchedBy, programsOf } from '../launch/runChain';
import type { ServerEntry } from '../settings';
import type { SandboxRules, SandboxSetting } from '../settings/sandboxRules';
import type { Missing } from './sandboxEngine';

/** What tells apart who is launched: everything but its name. */
export type Launched = Pick<ServerDefinition, 'launch' | 'source' | 'place' | 'reviewed'>;

/**
 * Identifies a confined program, SHA-256: what is launched, by which settings, from which folder. A server of a repository never
 * shares it with another of that name, not even with one of the same command: what lies around it has a say in what is fetched.
 */
export function sandboxIdentity({ launch, source: { scope, folder }, place: { base }, reviewed }: Launched): string {
  const cwd = reviewed?.type === 'stdio' ? reviewed.cwd : undefined;
  return fingerprint({ launch, scope, folder: folder?.path, base, cwd });
}

/** The folder of a confined server, with its caches in it. @param storage where all of them are */
export const sandboxFolder = (storage: string, server: Launched): string =>
  join(storage, sandboxIdentity(server).slice(0, 32));

/** Whether and how a server is to be confined. */
type Confinement =
  | { readonly kind: 'confined'; readonly rules: SandboxRules; readonly isAsked: boolean }
  /** It runs with all rights of the person, as it should. */
  | { readonly kind: 'free' }
  /** It can't be confined: here, or as a container, which its engine runs. `isAsked`: its entry wants it all the same. */
  | { readonly kind: 'unable'; readonly why: 'platform' | 'container'; readonly isAsked: boolean };

/** Where it runs; of this machine where none is given. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
}

/** What confines programs on a system. Undefined: nothing does. */
export function engineFor({ platform, arch }: Machine): 'bubblewrap' | 'seatbelt' | undefined {
  if (platform === 'darwin') return 'seatbelt';
  return platform === 'linux' && (arch === 'x64' || arch === 'arm64') ? 'bubblewrap' : undefined;
}

/**
 * What the entry asks for, and what the person's setting demands. Entries of a workspace can't switch off what that does: their
 * `false` doesn't count then, and lists that they name are part of what a person agrees to before the launch.
 * @param isWatched the person wants to know what it needs: it is confined in any case.
 */
export function confinementOf(
  { entry, source, fromWorkspace }: Pick<ServerDefinition, 'entry' | 'source' | 'fromWorkspace'>,
  setting: SandboxSetting,
  machine: Machine = process,
  isWatched = false,
): Confinement {
  if (entry?.type !== 'stdio') return { kind: 'free' };
  const { sandbox } = entry;
  const isDemanded = setting === 'all' || (setting === 'workspaceServers' && fromWorkspace);
  const isAsked = isWatched || (sandbox !== undefined && sandbox !== false);
  const isExempt = sandbox === false && source.scope === 'user';
  if (!isAsked && (!isDemanded || isExempt)) return { kind: 'free' };
  if (!engineFor(machine)) return { kind: 'unable', why: 'platform', isAsked };
  if (isContainer(entry, fromWorkspace)) return { kind: 'unable', why: 'container', isAsked };
  return { kind: 'confined', rules: typeof sandbox === 'object' ? sandbox : {}, isAsked };
}

/**
 * Whether a container engine is all that it runs. A shell may run more; and of a workspace it counts only as the program that this
 * system has, as its name may be that of a program in the workspace, which variables can put in its place, too.
 */
function isContainer(
  { command, args, env, envFile }: Extract<ServerEntry, { type: 'stdio' }>,
  fromWorkspace: boolean,
): boolean {
  const programs = programsOf(command, args);
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

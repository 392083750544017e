import { existsSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { HostError } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { type Launch, programOf, signalGroup } from '../launch/processGroup';
import type { SandboxRules } from '../settings/sandboxRules';
import { bubblewrapEngine } from './bubblewrapEngine';
import { type Bubblewrap, findBubblewrap } from './bubblewrapProgram';
import { openCaches } from './cacheFolders';
import { engineFor } from './confinement';
import { PolicyError } from './policyError';
import { type HostAgreement, ReachableHosts } from './reachableHosts';
import { packageAround } from './readablePlaces';
import type { ConfinedLaunch, Engine, Missing } from './sandboxEngine';
import { isHidden, isWritable, policyOf } from './sandboxPolicy';
import { findSeatbelt } from './seatbeltEngine';
import { settleBefore, watchGranted } from './watchGranted';

/** What confining a server requires besides its launch. */
export interface ConfineOptions extends HostAgreement {
  readonly name: string;
  readonly rules: SandboxRules;
  /** Folders that are shared with it. */
  readonly roots: readonly string[];
  /** See `LaunchPlace`. */
  readonly base: string;
  /** Its own, with its caches: see `sandboxFolder`. Those of other confined servers lie beside it. */
  readonly folder: string;
  /** Where things lie that appeared in folders of confined programs, and were moved away. */
  readonly aside: string;
  /** Watches a folder. @returns a function that ends that. Absent: the folder is only looked through when the program does something */
  watch?(folder: string, changed: () => void): () => void;
  /** Files that the next start depends on, such as that of its variables. It can't change them. */
  readonly keeps: readonly string[];
  /** Path of the program that passes connections on: `bridge.ts`. */
  readonly bridge: string;
  /** For its log, in English. */
  note(text: string): void;
}

let found: Promise<Bubblewrap | Engine | Missing> | undefined;

/**
 * Puts a launch into a sandbox that enforces its rules. Never falls back to an unconfined launch.
 *
 * @param engine what enforces the rules. Default: the one of this system.
 * @throws HostError when nothing can be confined here, or the rules can't be enforced; Node's error when the program does not
 * exist.
 */
export async function confine(
  launch: Launch,
  options: ConfineOptions,
  engine?: Engine | Missing,
): Promise<ConfinedLaunch> {
  const { name, rules, roots, base, folder, aside, keeps, attempts, note } = options;
  const { args, cwd, env } = launch;
  const program = programOf(launch, true);
  if (!existsSync(program) || !existsSync(cwd)) {
    throw Object.assign(new Error(`spawn ${launch.command} ENOENT`), {
      code: 'ENOENT',
      syscall: `spawn ${launch.command}`,
    });
  }
  const enforcing = engine ?? (await engineHere(options.bridge));
  if ('reason' in enforcing) {
    const code = enforcing.isInstalled ? 'SANDBOX_RULES' : 'NO_SANDBOX';
    throw new HostError({ ...enforcing, code, server: name, action: phrase('start') });
  }
  openCaches(folder);
  await settleBefore(aside);
  const temp = enforcing.temp();
  const { helpers } = enforcing;
  const granted = options.granted?.() ?? {};
  const write = [...(rules.write ?? []), ...(granted.write ?? [])];
  const wanted = {
    rules: { ...rules, write, sockets: rules.sockets || granted.sockets },
    program,
    args,
    cwd,
    env,
    roots,
    base,
    home: homedir(),
    folder,
    helpers,
    ours: [dirname(folder), aside],
    keeps,
    temp,
    sources: options.limits?.()?.sources ?? [],
  };
  const policy = await policyOf(wanted).catch(error => {
    if (temp.own !== undefined) rmdirSync(temp.own);
    if (!(error instanceof PolicyError)) throw error;
    const remedy = granted.write?.length
      ? phrase('Correct "sandbox" in its settings entry, or take back a folder that you allowed it.')
      : phrase('Correct "sandbox" in its settings entry.');
    throw new HostError({ code: 'SANDBOX_RULES', server: name, action: phrase('start'), reason: error.phrase, remedy });
  });
  for (const text of policy.notes) note(text);
  attempts.hides = path => isHidden(policy, path);
  attempts.folderAround = packageAround;
  attempts.canChange = path => isWritable(policy, path);
  const network = new ReachableHosts(policy, options);
  const confined = await enforcing.launch({ launch, program, policy, network });
  let pid: number | undefined;
  const watched = await watchGranted(policy.granted, {
    ...{ storage: aside, program: basename(folder), attempts, note },
    ...(options.watch && { watch: options.watch }),
    mayAppear: [...policy.named, ...(granted.appears ?? [])],
    kill: () => pid !== undefined && signalGroup(pid, 'SIGKILL'),
  });
  return {
    ...confined,
    attach: child => {
      pid = child.pid;
      confined.attach?.(child);
      child.stdout?.on('data', chunk => {
        attempts.answered(chunk);
        watched.lives();
      });
      child.stderr?.once('data', () => watched.lives());
    },
    end: async () => {
      pid = undefined;
      await confined.end();
      await watched.end();
    },
  };
}

/** Why nothing can be confined on this machine now. Undefined: it can. */
export async function whyUnable(): Promise<Missing | undefined> {
  const result = await look();
  return 'reason' in result ? result : undefined;
}

/** The engine of this system. */
async function engineHere(bridge: string): Promise<Engine | Missing> {
  const result = await look();
  return 'extras' in result ? bubblewrapEngine(result, bridge) : result;
}

/** Searches for the engine; repeated until one is found. */
async function look(): Promise<Bubblewrap | Engine | Missing> {
  found ??= engineFor(process) === 'seatbelt' ? findSeatbelt() : findBubblewrap();
  const result = await found;
  if ('reason' in result) found = undefined;
  return result;
}

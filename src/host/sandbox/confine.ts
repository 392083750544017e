import { existsSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HostError } from '../../base/errors';
import { english, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import { type Launch, programOf, signalGroup } from '../launch/processGroup';
import { hasNul } from '../settings/entryTexts';
import { SandboxAttempts } from './attempts';
import { findBubblewrap } from './bubblewrap';
import {
  asideFolder,
  type ConfinedLaunch,
  confinementOf,
  type Engine,
  engineFor,
  type Machine,
  type Missing,
  sandboxFolder,
} from './confinement';
import { runningPrograms, settleBefore, type Watching, watchGranted } from './grantedFolders';
import { PolicyError } from './keptPlaces';
import { BASE_VARIABLES } from './knownPlaces';
import { openCaches } from './onDisk';
import { type HostAgreement, ReachableHosts } from './proxy';
import { packageAround } from './readablePlaces';
import { type ConfinedProgram, isHidden, isWritable, policyOf } from './sandboxPolicy';
import { findSeatbelt } from './seatbelt';

export interface Sandbox extends ConfineOptions {
  /** Whether it inherits a variable of the editor's environment. */
  inherits(name: string): boolean;
}

/** Messages for a program that can't be confined. */
const UNABLE = {
  container: {
    instead: 'its container confines it instead',
    demanded: phrase('your organization requires a sandbox, which cannot confine a container'),
    asked: phrase('its entry requires a sandbox, which cannot confine a container'),
    remedy: phrase('Remove "sandbox", and confine it by options of the container.'),
  },
  address: {
    instead: undefined,
    demanded: phrase('your organization requires a sandbox, and a confined program cannot be reached at its "url"'),
    asked: phrase('it has to run in a sandbox, and a confined program cannot be reached at its "url"'),
    remedy: phrase(
      'Remove "url" if it also speaks MCP over its pipes. To run it without a sandbox, see "sandbox" in its entry and the setting "mcpHost.sandbox".',
    ),
  },
  platform: {
    instead: 'that is possible on Linux and macOS only',
    demanded: phrase('your organization requires a sandbox, but programs can be confined on Linux and macOS only'),
    asked: phrase('its entry requires a sandbox, but programs can be confined on Linux and macOS only'),
    remedy: phrase(
      'Run it on one of these, for example in a WSL, SSH or container window. Or set "sandbox" to false to run it here with all your rights.',
    ),
  },
};

/**
 * Returns how a program is confined. Undefined: it isn't, and runs with all rights of the person.
 *
 * @throws HostError when its entry or the organization requires a sandbox that is not possible: the program must not run without one.
 */
export async function sandboxFor(
  definition: ServerDefinition,
  { sandbox: port, roots }: Pick<HostPorts, 'sandbox' | 'roots'>,
  note: ConfineOptions['note'],
  { machine = process, whyNot = whyUnable }: { machine?: Machine; whyNot?: typeof whyUnable } = {},
): Promise<Sandbox | undefined> {
  const { name, place, entry } = definition;
  const isWatched = port.isWatched(definition);
  const setting = port.setting();
  const isDemanded = port.isDemanded(definition);
  const found = confinementOf(definition, setting, machine, isWatched);
  if (found.kind === 'free') return undefined;
  if (found.kind === 'unable') {
    const { instead, demanded, asked, remedy } = UNABLE[found.why];
    // By an address, an entry could switch off what the setting demands.
    if (!isDemanded && !found.isAsked && instead !== undefined) {
      note(`it is not confined, although "mcpHost.sandbox" says so: ${instead}`);
      return undefined;
    }
    throw new HostError({
      server: name,
      action: phrase('start'),
      ...(isDemanded
        ? { code: 'NOT_ALLOWED', reason: demanded, remedy: phrase('Ask your administrator to allow it.') }
        : { code: 'SANDBOX_RULES', reason: asked, remedy }),
    });
  }
  if (!found.isAsked && port.granted(definition).isFree) {
    note('it is not confined: you allowed it to run so');
    return undefined;
  }
  // Nobody requires this, so the server runs unconfined where sandboxes are not available.
  const missing = !found.isAsked && !isDemanded && setting === 'workspaceServers' ? await whyNot() : undefined;
  if (missing) {
    note(
      `it is not confined, although "mcpHost.sandbox" says so: ${english(missing.reason)}. ${english(missing.remedy)}`,
    );
    return undefined;
  }
  const { rules } = found;
  const names = new Set(rules.env);
  const attempts = new SandboxAttempts(isWatched);
  return {
    name,
    rules,
    base: place.base,
    folder: sandboxFolder(port.storage, definition),
    bridge: port.bridge,
    note,
    keeps: entry?.type === 'stdio' && entry.envFile !== undefined ? [entry.envFile] : [],
    aside: asideFolder(port.storage),
    ...(port.watch && { watch: port.watch }),
    attempts,
    limits: () => port.limits(),
    granted: () => port.granted(definition),
    // An entry may also rule out any network.
    ...(rules.network?.length !== 0 && { askHost: host => port.askHost(definition, host) }),
    roots: roots.list(definition).flatMap(({ uri }) => (/^file:/i.test(uri) ? [fileURLToPath(uri)] : [])),
    inherits: variable => port.inheritsAll() || names.has(variable) || BASE_VARIABLES.test(variable),
  };
}

/** What confining a server requires besides its launch. */
export interface ConfineOptions
  extends HostAgreement,
    Pick<ConfinedProgram, 'folder' | 'keeps' | 'roots' | 'rules'>,
    Pick<Watching, 'everyMs' | 'note' | 'watch'> {
  readonly name: string;
  /** See `LaunchPlace`. */
  readonly base: string;
  /** Where things lie that appeared in folders of confined programs, and were moved away. */
  readonly aside: string;
  /** Path of the program that passes connections on: `bridge.ts`. */
  readonly bridge: string;
}

let found: Promise<Engine | Missing> | undefined;

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
  const { name, rules, roots, base, folder, aside, keeps, bridge, attempts, note } = options;
  const { args, cwd, env } = launch;
  const program = programOf(launch, true);
  if (!existsSync(program) || !existsSync(cwd)) {
    throw Object.assign(new Error(`spawn ${launch.command} ENOENT`), {
      code: 'ENOENT',
      syscall: `spawn ${launch.command}`,
    });
  }
  const [withNul] = Object.entries(env).find(pair => pair.join('').includes('\0')) ?? [];
  if (withNul !== undefined) {
    const reason = hasNul(visible(withNul, 60));
    throw new HostError({ code: 'INVALID_SETTINGS', server: name, action: phrase('start'), reason });
  }
  const enforcing = engine ?? (await look());
  if ('reason' in enforcing) {
    const code = enforcing.isInstalled ? 'SANDBOX_RULES' : 'NO_SANDBOX';
    throw new HostError({ ...enforcing, code, server: name, action: phrase('start') });
  }
  openCaches(folder);
  await settleBefore(aside, note);
  const temp = enforcing.temp();
  const helpers = enforcing.helpers(bridge);
  const granted = options.granted?.() ?? {};
  const write = [...(rules.write ?? []), ...(granted.write ?? [])];
  const wanted = {
    program,
    args,
    cwd,
    env,
    roots,
    base,
    folder,
    helpers,
    keeps,
    temp,
    rules: { ...rules, write, sockets: rules.sockets || granted.sockets },
    home: homedir(),
    ours: [dirname(folder), aside],
    others: () => runningPrograms(aside),
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
  const changed = async () => {
    const running = await runningPrograms(aside).catch(() => []);
    // Its own note is among them.
    const others = running.filter(other => other.window !== process.pid || other.program !== basename(folder));
    return others.flatMap(({ folders }) => folders.map(({ path }) => path));
  };
  const confined = await enforcing.launch({ launch, program, policy, network, bridge, changed, note });
  let pid: number | undefined;
  const watched = await watchGranted(policy.granted, {
    storage: aside,
    program: basename(folder),
    attempts,
    note,
    ...(options.everyMs !== undefined && { everyMs: options.everyMs }),
    ...(options.watch && { watch: options.watch }),
    writable: policy.named,
    mayAppear: [...policy.named, ...(granted.appears ?? [])],
    kill: () => pid !== undefined && signalGroup(pid, 'SIGKILL'),
  }).catch(async error => {
    await confined.end();
    throw error;
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

/** Searches for the engine; repeated until one is found. */
async function look(): Promise<Engine | Missing> {
  found ??= engineFor(process) === 'seatbelt' ? findSeatbelt() : findBubblewrap();
  const result = await found;
  if ('reason' in result) found = undefined;
  return result;
}

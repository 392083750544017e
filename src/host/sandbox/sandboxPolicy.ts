import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { english, type Phrase, phrase } from '../../base/phrase';
import { readBounded } from '../../base/readBounded';
import { visible } from '../../base/text';
import { packageRunner } from '../launch/packageRunner';
import { sourcesOfLaunch } from './fetchSources';
import {
  cacheVariables,
  DATA_PLACES,
  KEPT_FILES,
  KEPT_FOLDERS,
  KEPT_IN_GIT,
  SECRET_PLACES,
} from './knownPlaces';
import { placeProblem, type SandboxRules } from './rules';
import { writeProblem } from './writeProblem';

/** What is to be confined, and what is known of it. */
export interface Confined {
  readonly rules: SandboxRules;
  /** Absolute path of the program that is started. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Folders that the server is told of. */
  readonly roots: readonly string[];
  /** The folder that relative paths of its entry start at: places within it may not lead out of it by a link. */
  readonly base: string;
  readonly home: string;
  /** A folder of ours for this server: made here, with its caches in it. */
  readonly folder: string;
  /** Files of ours that run in the sandbox, too. */
  readonly helpers: readonly string[];
  readonly temp: TempFolders;
}

/** Where programs put what they need for a moment. Real paths. */
export interface TempFolders {
  /** Those that all programs of the machine have in common: it sees none of them. */
  readonly shared: readonly string[];
  /** A folder that was made for it. Absent: an empty one is mounted over those that are shared. */
  readonly own?: string;
}

/** A file or folder as the program finds it. Of several that are nested, the innermost decides. */
export interface SandboxPlace {
  readonly path: string;
  readonly isFolder: boolean;
  readonly access: 'hidden' | 'read' | 'write';
  /** It is not there, and must not become so: an empty folder stands in its place meanwhile. */
  readonly isMissing?: true;
}

/** What a program may do, for whatever engine enforces it. Real paths only. */
export interface SandboxPolicy {
  /** Everything else can be read. From the outermost to the innermost. */
  readonly places: readonly SandboxPlace[];
  /** While it lives. */
  readonly hosts: readonly string[];
  /** Until it is ready. */
  readonly fetchesFrom: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Unix sockets: what others have opened is hidden then. */
  readonly mayOpenSockets: boolean;
  /** Its temporary folder, as it finds it. */
  readonly temp: string;
  /** What of its rules could not be followed, in English. */
  readonly notes: readonly string[];
}

/** A policy that can't be kept: nothing is started. */
export class PolicyError extends Error {
  constructor(readonly phrase: Phrase) {
    super(english(phrase));
    this.name = 'PolicyError';
  }
}

/** So many entries of a writable folder are looked at for folders that stay as they are. */
const MAX_CHILDREN = 500;
const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_SOCKETS_BYTES = 4 * 1024 * 1024;

/** Works out what a program may do, as the disk is now. @throws PolicyError where a rule can't be kept */
export async function policyOf(confined: Confined): Promise<SandboxPolicy> {
  const { rules, home, roots, folder, env, temp } = confined;
  const mounted = temp.own === undefined ? temp.shared : [];
  const notes: string[] = [];
  const at = (place: string) => (isAbsolute(place) ? place : join(home, place));
  const places = new Map<string, SandboxPlace>();
  // Later ones win: what is named, then what stays as it is.
  const add = (path: string, access: SandboxPlace['access']) => {
    const real = realPlace(path);
    const kind = real && kindOf(real);
    if (real && kind) places.set(real, { path: real, isFolder: kind === 'folder', access });
    return real && kind ? real : undefined;
  };
  if (rules.read) for (const place of [home, ...DATA_PLACES]) add(place, 'hidden');
  for (const place of [...SECRET_PLACES.map(at), ...otherEnvFiles(roots, home)]) add(place, 'hidden');
  const secrets = [...places.values()].filter(({ path }) => path !== home && !DATA_PLACES.includes(path));
  if (temp.own !== undefined) for (const place of temp.shared) add(place, 'hidden');
  const isSecret = (path: string) => secrets.some(secret => isWithin(secret.path, path));
  for (const path of neededBy(confined)) {
    const real = realPlace(path);
    if (real && !isSecret(real)) add(real, 'read');
  }
  for (const helper of [...confined.helpers, confined.cwd]) if (!isWithin(helper, home)) add(helper, 'read');
  for (const root of roots) add(root, 'read');
  for (const place of rules.read ?? []) {
    const path = settled(place, confined);
    if (add(path, 'read') === undefined) notes.push(`${visible(path)} is not there, so it is left out of "read"`);
  }
  const writable = new Set<string>();
  for (const root of rules.write ? [] : roots) {
    const refusal = writeProblem(root, home);
    const real = refusal ? undefined : add(root, 'write');
    if (real) writable.add(real);
    else notes.push(`${visible(root)} is a root that it can only read${refusal ? `: ${english(refusal('it'))}` : ''}`);
  }
  for (const place of rules.write ?? []) {
    const path = settled(place, confined);
    const refusal = writeProblem(path, home) ?? writeProblem(realPlace(path) ?? path, home);
    if (refusal) throw new PolicyError(refusal(`"${visible(path, 200)}"`));
    const real = add(path, 'write');
    if (real) writable.add(real);
    else notes.push(`${visible(path)} is not there, so it is left out of "write": make it first`);
  }
  for (const path of writable)
    for (const kept of keptIn(path, writable, mounted.length > 0, notes)) places.set(kept.path, kept);
  if (rules.sockets && mounted.length > 0) for (const socket of await openSockets()) add(socket, 'hidden');
  // After all others: they are in places that are hidden.
  for (const own of [folder, temp.own]) if (own !== undefined) add(own, 'write');
  const runner = packageRunner(confined.program, confined.args)?.runner;
  const sources = await sourcesOfLaunch(confined, runner);
  return {
    places: thatMatter(
      [...places.values()].sort((one, other) => depthOf(one.path) - depthOf(other.path)),
      mounted,
    ),
    hosts: rules.network ?? [],
    fetchesFrom: sources.hosts,
    env: {
      ...cacheVariables(folder, home, runner),
      ...(runner === 'npx' && (await offlineWhereFetched(folder, confined.args))),
      ...sources.env,
      ...withoutNpmrc(rules, folder),
      // A browser's own sandbox can't be within another one.
      PLAYWRIGHT_MCP_SANDBOX: 'false',
      ...env,
    },
    mayOpenSockets: rules.sockets === true,
    temp: temp.own ?? temp.shared[0]!,
    notes,
  };
}

/** Whether a file or folder that is there is out of a program's sight. */
export function isHidden({ places, temp }: Pick<SandboxPolicy, 'places' | 'temp'>, path: string): boolean {
  const real = realPlace(path);
  if (real === undefined || kindOf(real) === undefined) return false;
  const around = places.findLast(place => isWithin(place.path, real));
  return around ? around.access === 'hidden' : isWithin(temp, real);
}

/** Whether a program may change what is in a place, be it there or not. */
export function isWritable({ places, temp }: Pick<SandboxPolicy, 'places' | 'temp'>, path: string): boolean {
  const around = places.findLast(place => isWithin(place.path, path));
  return around ? around.access === 'write' : isWithin(temp, path);
}

/**
 * Npm asks its registry at each start, also for a version that is fixed. What lies in the server's cache as its entry names it
 * can't be another by now.
 */
async function offlineWhereFetched(folder: string, args: readonly string[]): Promise<Record<string, string>> {
  const fetched = join(folder, 'npm', '_npx');
  for (const name of entriesOf(fetched).slice(0, MAX_CHILDREN)) {
    const text = await readBounded(join(fetched, name, 'package.json'), MAX_MANIFEST_BYTES).catch(() => '');
    const said = /"_npx":\s*\{\s*"packages":\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '';
    const packages = [...said.matchAll(/"([^"]+)"/g)].map(([, spec = '']) => spec);
    const isFixed = (spec: string) => /.@\d+\.\d+\.\d+[\w.+-]*$/.test(spec) && args.includes(spec);
    if (packages.length > 0 && packages.every(isFixed)) return { npm_config_prefer_offline: 'true' };
  }
  return {};
}

/** Npm stops at a file that it may not read. */
function withoutNpmrc({ read = [] }: SandboxRules, folder: string): Record<string, string> {
  return read.some(place => place.endsWith('/.npmrc')) ? {} : { npm_config_userconfig: join(folder, 'npmrc') };
}

/** Without those that say what the place around them says already. @param mounted folders in whose place an empty one is */
function thatMatter(places: readonly SandboxPlace[], mounted: readonly string[]): SandboxPlace[] {
  return places.filter(({ path, access, isMissing }, index) => {
    const around = places.slice(0, index).findLast(other => isWithin(other.path, path));
    const empty = mounted.find(folder => isWithin(folder, path));
    const isEmptied = empty !== undefined && (!around || isWithin(around.path, empty));
    const before = isEmptied ? 'hidden' : (around?.access ?? 'read');
    // What may be changed is mounted in any case: so it can't be moved away, with what stays as it is within it.
    return isMissing || access === 'write' || access !== before;
  });
}

const depthOf = (path: string) => path.split('/').filter(Boolean).length;

/** The path that a place of the entry names. @throws PolicyError where it is none, or leads out of its folder */
function settled(place: string, { home, base }: Confined): string {
  // Once more: it may hold a value that was filled in only now.
  const problem = placeProblem(place);
  if (problem) throw new PolicyError(problem(`"${visible(place, 200)}"`));
  const path = resolve(/^~(?=\/|$)/.test(place) ? join(home, place.slice(1)) : place);
  const real = realPlace(path);
  if (isWithin(base, path) && real !== undefined && !isWithin(realPlace(base) ?? base, real)) {
    throw new PolicyError(
      phrase(
        '"{0}" leads out of its folder by a link, to {1}. Name that place itself.',
        visible(path, 200),
        visible(real, 200),
      ),
    );
  }
  return path;
}

/** The program, the files that it is started with, and the packages that these are of. */
function neededBy({ program, args, env, home, temp }: Confined): string[] {
  const isWide = (folder: string) => [home, ...temp.shared, ...DATA_PLACES].some(place => isWithin(folder, place));
  const around = (file: string) => {
    const folders = [dirname(file), ...packagesOf(file)].filter(folder => !isWide(folder));
    return folders.length > 0 ? folders : [file];
  };
  const folders = (env.PATH ?? '').split(':').filter(folder => isAbsolute(folder) && !isWide(folder));
  const files = args.filter(arg => isAbsolute(arg) && kindOf(arg) === 'file');
  return [program, ...files].flatMap(file => [file, realPlace(file) ?? file].flatMap(around)).concat(folders);
}

/** Where a file may have more of what it needs: all that npm installed with it, its package, what its `bin` folder is part of. */
function packagesOf(file: string): string[] {
  const folder = dirname(file);
  const installed = /^.*?\/node_modules(?=\/)/.exec(file)?.[0];
  if (installed) return [installed];
  const prefix = basename(folder) === 'bin' ? [dirname(folder)] : [];
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (kindOf(join(at, 'package.json')) === 'file') return [...prefix, at];
  }
  return prefix;
}

/**
 * What must stay as it is in a writable folder: what the editor, git or other programs would run or obey.
 * @param isMounted rules are kept by mounts, which can't be put on links
 */
function keptIn(folder: string, writable: ReadonlySet<string>, isMounted: boolean, notes: string[]): SandboxPlace[] {
  if (kindOf(folder) !== 'folder') return [];
  const children = entriesOf(folder).slice(0, MAX_CHILDREN);
  const isGit = folder.endsWith('/.git');
  const always = isGit ? ['hooks'] : KEPT_FOLDERS;
  const there = [
    ...(isGit ? KEPT_IN_GIT : KEPT_FILES),
    ...children.filter(name => name.endsWith('.code-workspace')),
    ...children.flatMap(name => KEPT_FOLDERS.map(kept => `${name}/${kept}`)),
  ];
  const kept = (name: string, isAlways: boolean): SandboxPlace[] => {
    const path = join(folder, name);
    if (writable.has(path)) return [];
    const kind = linkKind(path);
    if (kind === 'link') {
      if (isMounted) notes.push(`${visible(path)} is a link, which can't be kept from being replaced`);
      const [real, target] = [realPlace(path), kindOf(path)];
      return [
        ...(isMounted ? [] : [{ path, isFolder: false, access: 'read' as const }]),
        ...(real && target ? [{ path: real, isFolder: target === 'folder', access: 'read' as const }] : []),
      ];
    }
    // One that is empty may have been left by us.
    if (kind && !(isAlways && kind === 'folder' && entriesOf(path).length === 0)) {
      // As it is written on the disk, which may not tell capital letters from small ones.
      return [{ path: realPlace(path) ?? path, isFolder: kind === 'folder', access: 'read' }];
    }
    return isAlways ? [{ path, isFolder: true, access: 'read', isMissing: true }] : [];
  };
  return [...always.flatMap(name => kept(name, true)), ...there.flatMap(name => kept(name, false))];
}

/** `.env` files of the projects beside the roots, and of the folders above them. */
function otherEnvFiles(roots: readonly string[], home: string): string[] {
  const found: string[] = [];
  for (const parent of new Set(roots.map(root => dirname(root)))) {
    const siblings = entriesOf(parent)
      .slice(0, MAX_CHILDREN)
      .map(name => join(parent, name));
    const above: string[] = [];
    for (let at = parent; at !== dirname(at) && at !== dirname(home); at = dirname(at)) above.push(at);
    for (const folder of [...siblings, ...above]) {
      if (roots.some(root => isWithin(folder, root) && !above.includes(folder))) continue;
      found.push(
        ...entriesOf(folder)
          .filter(name => /^\.env(\..+)?$/.test(name))
          .map(name => join(folder, name)),
      );
    }
  }
  return found;
}

/**
 * Where programs take connections on this machine now, and where systems keep such places. One that is opened later, elsewhere
 * than there or in the temporary folder, is not among them.
 */
async function openSockets(): Promise<string[]> {
  const list = await readBounded('/proc/net/unix', MAX_SOCKETS_BYTES);
  const paths = list.split('\n').flatMap(line => / (\/.+)$/.exec(line)?.[1] ?? []);
  // The programs of NixOS are there.
  return [...new Set(paths), ...(kindOf('/run/current-system') ? [] : ['/run'])];
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const real = realPlace(path);
  const kind = real === undefined ? undefined : linkKind(real);
  return kind === 'link' ? undefined : kind;
}

function linkKind(path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const stat = lstatSync(path);
    return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { basename, dirname, join, resolve } from 'node:path';
import { getOrInsert } from '../../base/events';
import { isWithin, realPlace } from '../../base/filePlace';
import { readBounded } from '../../base/files';
import { literalOf, placeOf } from '../../base/networkAddress';
import { phrase } from '../../base/phrase';
import { isLoopback, visible } from '../../base/text';
import { packageRunner } from '../launch/installedProgram';
import { ecosystemOf, type PackageRunner, publicRegistries } from '../launch/knownPrograms';
import { placeProblem, type SandboxRules } from '../settings/sandboxRules';
import { type KeptFolder, keptIn, PolicyError, tooMuchIn, type WatchedFolder } from './keptPlaces';
import { cacheVariables, HOME_PROGRAMS, PROGRAM_PLACES, SECRET_PLACES, writeProblem } from './knownPlaces';
import { entriesOf, kindOf, pipesIn, type SandboxPlace } from './onDisk';
import {
  closedPlaces,
  leadsOut,
  linksTo,
  neededBy,
  type ProgramStart,
  type Way,
  type WayLink,
  wayTo,
} from './readablePlaces';
import type { NotedProgram } from './runningNotes';

/** A program to be confined, with the facts that its policy depends on. */
export interface ConfinedProgram extends ProgramStart {
  /** Hosts that the organization has packages fetched from. */
  readonly sources?: readonly string[];
  readonly rules: SandboxRules;
  /** Folders that are shared with the server. */
  readonly roots: readonly string[];
  /** Our folder for this server, created here, with its caches (`sandboxFolder`); those of others lie beside it. */
  readonly folder: string;
  /** Files of ours that run in the sandbox, too. */
  readonly helpers: readonly string[];
  /** Folders of the extension, with what other sandboxes have and what was moved out of them. */
  readonly ours: readonly string[];
  /** Files that the next start depends on, such as that of its variables: it can't change them. */
  readonly keeps: readonly string[];
  readonly temp: TempFolders;
  /** All other programs that run now and may change folders. */
  others(): Promise<readonly NotedProgram[]>;
}

/** Temporary folders. Real paths. */
export interface TempFolders {
  /** Those that all programs of the machine share. They are hidden from it. */
  readonly shared: readonly string[];
  /** A folder created for it. Absent: an empty one is mounted over the shared ones. */
  readonly own?: string;
}

/** What a program may do, independent of the engine. Real paths only. */
export interface SandboxPolicy {
  /** Everything else can be read. From the outermost to the innermost. */
  readonly places: readonly SandboxPlace[];
  readonly granted: readonly WatchedFolder[];
  /** Paths that the entry names to be changed, whether or not they are there. */
  readonly named: readonly string[];
  /** Links that have to be recreated, because the folder around them is hidden. */
  readonly links: readonly WayLink[];
  /** Hosts that it may reach while it runs. */
  readonly hosts: readonly string[];
  /** Hosts that it may reach until it is ready. */
  readonly fetchesFrom: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether it may open Unix sockets. Sockets of others are then hidden. */
  readonly mayOpenSockets: boolean;
  /** Path of its temporary folder inside the sandbox. */
  readonly temp: string;
  /** Rules that could not be followed, in English. */
  readonly notes: readonly string[];
  /** Whether a program of another window depends on an empty folder that keeps a place from being made. */
  isKeptElsewhere(path: string): Promise<boolean>;
}

/** The most places that are protected in folders: each is a mount, and mounts take time that grows with their number. */
const MAX_KEPT = 600;
/** The most characters of what is known of folders. */
const MAX_GRANTED = 4_000_000;
const MAX_FETCHED = 500;
const MAX_SIBLINGS = 5_000;
const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_SOCKETS_BYTES = 4 * 1024 * 1024;

/** Computes what a program may do, from the current state of the disk. @throws PolicyError if a rule can't be enforced */
export async function policyOf(confined: ConfinedProgram): Promise<SandboxPolicy> {
  const { rules, home, roots, folder, env, temp } = confined;
  const mounted = temp.own === undefined ? temp.shared : [];
  const notes: string[] = [];
  const places = new Map<string, SandboxPlace>();
  const links: WayLink[] = [];
  const ways = new Map<string, Way>();
  const wayOf = (path: string) => getOrInsert(ways, path, () => wayTo(path));
  // Elsewhere the disk may ignore case.
  const realOf = (path: string) => (process.platform === 'linux' ? wayOf(path).real : realPlace(path));
  const toWrite = placesToWrite(confined, notes, realOf);
  const writable = new Set([...toWrite.values()].filter(real => kindOf(real)));
  const keeping = { writable, keeps: confined.keeps, isMounted: mounted.length > 0, notes, others: confined.others };
  const granted: KeptFolder[] = [];
  for (const path of [...writable].filter(one => kindOf(one) === 'folder')) {
    granted.push(await keptIn(path, keeping));
    if (granted.flatMap(({ places: kept }) => kept).length > MAX_KEPT) throw tooMuchIn(path);
  }
  // Else no other program could read the note of it.
  if (JSON.stringify(granted).length > MAX_GRANTED) throw tooMuchIn(granted[0]!.path);
  const isGranted = (path: string) => granted.some(around => isWithin(around.path, path));
  // A link that another program puts there leads this one to what neither may reach.
  const others = await confined.others().catch(() => []);
  const changed: WatchedFolder[] = [...granted, ...others.flatMap(({ folders }) => folders)];
  const strays = (path: string) => changed.some(around => leadsOutOf(around, wayOf(path)));
  // Later ones win: what is open by default, what is named, then what is protected.
  const add = (path: string, access: SandboxPlace['access']) => {
    const kind = kindOf(path);
    const real = kind && realOf(path);
    if (!real) return undefined;
    if (real !== path && access !== 'hidden') links.push(...linksTo(path));
    // What may be changed can be read already.
    if (access !== 'read' || !isGranted(real)) places.set(real, { path: real, isFolder: kind === 'folder', access });
    return real;
  };
  const hide = (paths: readonly string[]) => paths.flatMap(path => add(path, 'hidden') ?? []);
  hide([...closedPlaces(temp.shared), ...(dirname(home) === home ? [] : [home])]);
  const known = (paths: readonly string[]) => paths.map(path => resolve(home, path));
  for (const place of known([...PROGRAM_PLACES, ...HOME_PROGRAMS])) add(place, 'read');
  const secrets = hide([...known(SECRET_PLACES), ...otherEnvFiles(confined)]);
  if (temp.own !== undefined) hide(temp.shared);
  for (const path of new Set(neededBy(confined, temp.shared, strays, realOf))) {
    const real = kindOf(path) && realOf(path);
    if (real && !secrets.some(secret => isWithin(secret, real)) && !strays(path)) add(path, 'read');
  }
  for (const helper of confined.helpers) if (!isWithin(helper, home)) add(helper, 'read');
  const readable: string[] = [];
  for (const root of roots) {
    if (strays(root))
      notes.push(
        `${visible(root)} is left out of its roots: it is a link in a folder that it, or another confined program, may change`,
      );
    else readable.push(add(root, 'read') ?? root);
  }
  for (const place of rules.read ?? []) {
    const path = settled(place, confined);
    if (strays(path)) throw linkError(path);
    const real = add(path, 'read');
    if (real === undefined) notes.push(`${visible(path)} is not there, so it is left out of "read"`);
    else readable.push(real);
  }
  for (const path of toWrite.keys()) {
    if (strays(path)) throw linkError(path);
    add(path, 'write');
  }
  for (const kept of granted.flatMap(({ places: inFolder }) => inFolder))
    if (kept.access === 'read' || !places.has(kept.path)) places.set(kept.path, kept);
  if (mounted.length > 0) hide(pipesIn(readable).filter(pipe => !isGranted(pipe)));
  if (rules.sockets && mounted.length > 0) for (const socket of await openSockets()) add(socket, 'hidden');
  // After all others: they are in places that are hidden.
  for (const own of [folder, temp.own]) if (own !== undefined) add(own, 'write');
  const runner = packageRunner(confined.program, confined.args);
  const sources = await sourcesOfLaunch(confined, runner);
  const sorted = [...places.values()].sort((one, other) => depthOf(one.path) - depthOf(other.path));
  const found = { places: thatMatter(sorted, mounted, realPlace(home)), temp: temp.own ?? temp.shared[0]! };
  return {
    ...found,
    granted,
    named: [...toWrite.values()],
    links: [...new Map(links.map(link => [link.path, link])).values()].filter(({ path }) =>
      isHidden(found, dirname(path)),
    ),
    hosts: rules.network ?? [],
    fetchesFrom: sources.hosts,
    env: {
      ...cacheVariables(folder, home, runner),
      ...(runner === 'npx' && (await offlineWhereFetched(folder, confined.args))),
      ...sources.env,
      // Npm fails on a file that it may not read.
      ...(!rules.read?.some(place => place.endsWith('/.npmrc')) && { npm_config_userconfig: join(folder, 'npmrc') }),
      // A browser's own sandbox does not work inside this one.
      PLAYWRIGHT_MCP_SANDBOX: 'false',
      ...env,
    },
    mayOpenSockets: rules.sockets === true,
    notes,
    isKeptElsewhere: async path => {
      const others = await confined.others();
      return others.some(({ window, folders }) => window !== process.pid && folders.some(({ known }) => path in known));
    },
  };
}

/** The places that it may change, each with its real path. */
function placesToWrite(
  confined: ConfinedProgram,
  notes: string[],
  realOf: (path: string) => string | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const place of confined.rules.write ?? []) {
    const path = settled(place, confined);
    const [kind, real = path] = [kindOf(path), realOf(path)];
    // A `.git` that is a file says where the repository is, as its configuration would.
    const decides = kind === 'file' && basename(real) === '.git' ? [join(real, 'config')] : [];
    const refusal = [path, real, ...decides].map(at => writeProblem(at, confined.home)).find(Boolean);
    if (refusal) throw new PolicyError(refusal(`"${visible(path, 200)}"`));
    if (confined.ours.some(own => isWithin(real, own) || isWithin(own, real))) {
      const shown = visible(path, 200);
      throw new PolicyError(
        phrase('"{0}" cannot be made writable, because MCP Host keeps its own files there.', shown),
      );
    }
    found.set(path, real);
    if (!kind) notes.push(`${visible(path)} is not there, so it is left out of "write": make it first`);
  }
  return found;
}

/** Whether a link in a folder that a program may change leads out of it. Links in protected places are not of its making. */
function leadsOutOf({ path: folder, kept }: WatchedFolder, { links, real }: Way): boolean {
  if (real === undefined || isWithin(folder, real)) return false;
  const isTheirs = (link: string) => link !== folder && isWithin(folder, link);
  return links.some(link => isTheirs(link) && !kept?.some(place => isWithin(place, link)));
}

/** Whether an existing file or folder is hidden from the program. */
export function isHidden({ places, temp }: Pick<SandboxPolicy, 'places' | 'temp'>, path: string): boolean {
  const real = realPlace(path);
  if (real === undefined || kindOf(real) === undefined) return false;
  const around = places.findLast(place => isWithin(place.path, real));
  return around ? around.access === 'hidden' : isWithin(temp, real);
}

/** Whether a program may change a path, whether or not it exists. */
export function isWritable({ places, temp }: Pick<SandboxPolicy, 'places' | 'temp'>, path: string): boolean {
  const around = places.findLast(place => isWithin(place.path, path));
  return around ? around.access === 'write' : isWithin(temp, path);
}

/** Makes npm work offline if the cache has the exact version: else it asks its registry at each start. */
async function offlineWhereFetched(folder: string, args: readonly string[]): Promise<Record<string, string>> {
  const fetched = join(folder, 'npm', '_npx');
  for (const name of entriesOf(fetched).slice(0, MAX_FETCHED)) {
    const text = await readBounded(join(fetched, name, 'package.json'), MAX_MANIFEST_BYTES).catch(() => '');
    const said = /"_npx":\s*\{\s*"packages":\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '';
    const packages = [...said.matchAll(/"([^"]+)"/g)].map(([, spec = '']) => spec);
    const isFixed = (spec: string) => /.@\d+\.\d+\.\d[\w.+-]*$/.test(spec) && args.includes(spec);
    if (packages.length > 0 && packages.every(isFixed)) return { npm_config_prefer_offline: 'true' };
  }
  return {};
}

/**
 * Leaves out places whose access is the same as that of the place around them.
 * @param mounted folders that are replaced by an empty one
 * @param home always exists, if only as an empty folder
 */
function thatMatter(
  places: readonly SandboxPlace[],
  mounted: readonly string[],
  home: string | undefined,
): SandboxPlace[] {
  return places.filter(({ path, access, isFolder, isMissing }, index) => {
    const around = places.slice(0, index).findLast(other => isWithin(other.path, path));
    const empty = mounted.find(folder => isWithin(folder, path));
    const isEmptied = empty !== undefined && (!around || isWithin(around.path, empty));
    const before = isEmptied ? 'hidden' : (around?.access ?? 'read');
    // Writable folders are always mounted, so that they can't be moved away together with protected parts.
    return isMissing || path === home || (access === 'write' && isFolder) || access !== before;
  });
}

const depthOf = (path: string) => path.split('/').filter(Boolean).length;

/** The path of a place in the entry. @throws PolicyError if it is invalid, or leads out of its folder */
function settled(place: string, { home, base }: ConfinedProgram): string {
  // Again, because values that were just filled in may change it.
  const problem = placeProblem(place);
  if (problem) throw new PolicyError(problem(`"${visible(place, 200)}"`));
  const path = resolve(/^~(?=\/|$)/.test(place) ? join(home, place.slice(1)) : place);
  if (leadsOut(path, base)) throw linkError(path);
  return path;
}

const linkError = (path: string) =>
  new PolicyError(
    phrase(
      '"{0}" is a link that leads out of its folder, to {1}. Name that place instead.',
      visible(path, 200),
      visible(realPlace(path) ?? path, 200),
    ),
  );

/** `.env` files beside the roots, and in the folders above. @throws PolicyError if it has made too many folders. */
function otherEnvFiles({ roots, home, rules: { read = [], write = [] } }: ConfinedProgram): string[] {
  const found: string[] = [];
  for (const parent of new Set(roots.map(root => dirname(root)))) {
    const names = entriesOf(parent);
    if (names.length > MAX_SIBLINGS && read.length + write.length > 0) throw tooMuchIn(parent);
    const siblings = names.slice(0, MAX_SIBLINGS).map(name => join(parent, name));
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

/** Unix sockets that are open on this machine now, and the usual folders of such sockets. */
async function openSockets(): Promise<string[]> {
  const list = await readBounded('/proc/net/unix', MAX_SOCKETS_BYTES);
  const paths = list.split('\n').flatMap(line => / (\/.+)$/.exec(line)?.[1] ?? []);
  // The programs of NixOS are there.
  return [...new Set(paths), ...(kindOf('/run/current-system') ? [] : ['/run'])];
}

/** What determines where a package manager fetches from. */
export type Fetching = Pick<ConfinedProgram, 'rules' | 'args' | 'env' | 'home' | 'sources'>;

const MAX_NPMRC_BYTES = 64 * 1024;
/** Variables that name registries. */
const REGISTRIES = /^(npm_config_registry|uv_(default_)?index(_url)?|pip_(extra_)?index_url)$/i;
const GIT_SOURCE = /\bgit\+(https:\/\/[^\s'"#]+)/g;

/**
 * The hosts that a package manager needs at the start: the usual ones, the registry of the person's `.npmrc`, and public ones
 * that the entry names by a variable or as a git source among the arguments. An entry without network access adds none.
 */
export async function sourcesOfLaunch(
  { rules, args, env, home, sources = [] }: Fetching,
  runner: PackageRunner | undefined,
): Promise<{ hosts: string[]; env: Record<string, string> }> {
  if (!runner) return { hosts: [], env: {} };
  const npmrc = await readBounded(join(home, '.npmrc'), MAX_NPMRC_BYTES).catch(() => '');
  const registry = /^[ \t]*registry[ \t]*=[ \t]*(\S+)[ \t]*$/m.exec(npmrc)?.[1];
  const ecosystem = ecosystemOf(runner);
  const usual = [...publicRegistries(ecosystem), ...(runner === 'yarn dlx' ? ['registry.yarnpkg.com'] : [])];
  const named = [
    ...Object.entries(env).flatMap(([name, value = '']) => (REGISTRIES.test(name) ? [value] : [])),
    ...(ecosystem === 'pypi' ? args.flatMap(arg => [...arg.matchAll(GIT_SOURCE)].map(([, url = '']) => url)) : []),
  ];
  const own = rules.network?.length === 0 ? [] : named.filter(url => URL.canParse(url) && isPublic(new URL(url)));
  return {
    hosts: [...sources, ...usual, ...[...own, ...(registry ? [registry] : [])].flatMap(hostOf)],
    // As npm does, a variable comes before the file.
    env: registry && !env.npm_config_registry ? { npm_config_registry: registry } : {},
  };
}

/** Whether a URL may lead to the internet. The proxy checks where its name really leads. */
function isPublic(url: URL): boolean {
  const address = literalOf(url);
  return address === undefined ? !isLoopback(url) : placeOf(address) === 'public';
}

function hostOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  return [port ? `${hostname}:${port}` : hostname];
}

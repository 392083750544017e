import { readlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../../base/errors';
import { isWithin, realPlace } from '../../base/filePlace';
import { PROGRAM_PLACES, SHARED_PLACES } from './knownPlaces';
import { entriesOf, kindOf, linkKind } from './onDisk';

/** The parts of a launch that tell what it needs to read. */
export interface ProgramStart {
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The base of relative paths in its entry. Paths within it must not lead out of it by a link. */
  readonly base: string;
}

/** Disks, and home folders of others. */
const DISKS = /^\/(home|Users|mnt|Volumes)\/[^/]+$|^(\/run)?\/media\/[^/]+(\/[^/]+)?$/;
const MANIFESTS = ['package.json', 'pyproject.toml', 'pyvenv.cfg'];
/** Files that need the files beside them. For all other arguments, only the named file itself becomes readable. */
const CODE = /\.([cm]?[jt]sx?|pyz?|rb|sh|php|pl|jar|dll|lua|exs?|r)$|\/[^./]+$/i;
/** Options whose value is the folder to work in. */
const WORKS_IN = /^(?:--directory|--project|--prefix|--cwd|-C)(?:=(.+))?$/;
/** As many as Linux follows. */
const MAX_LINKS = 40;
const PATHS = ['PATH', 'PYTHONPATH', 'NODE_PATH'];

/** Folders at the top of the disk without programs, hidden completely. @param temps handled separately. */
export function closedPlaces(temps: readonly string[]): string[] {
  return entriesOf('/')
    .map(name => `/${name}`)
    .filter(path => linkKind(path) !== 'link' && ![...PROGRAM_PLACES, ...temps].includes(path));
}

/**
 * The program, the files and folders among its arguments, and their packages.
 * @param strays whether a program may have made a link on the way to a path: where that leads is none of these
 * @param realOf where a path leads, by the look that `strays` had
 */
export function neededBy(
  start: ProgramStart,
  temps: readonly string[],
  strays: (path: string) => boolean = () => false,
  realOf: (path: string) => string | undefined = realPlace,
): string[] {
  const { program, args, env, cwd, home } = start;
  const general = new Set(SHARED_PLACES.map(place => resolve(home, place)));
  const holders = [home, realPlace(home) ?? home, ...temps, '/var/tmp'];
  const isShared = (folder: string) =>
    general.has(folder) || DISKS.test(folder) || holders.some(place => isWithin(folder, place));
  const isOwn = (folder: string) =>
    [folder, realPlace(folder) ?? folder].every(at => !isShared(at) && at.indexOf('/', 1) > 0);
  // A repository may hold links to anywhere.
  const stays = (path: string) => !strays(path) && (home === start.base || !leadsOut(path, start.base));
  const around = (file: string) => [
    file,
    ...[dirname(file)].filter(isOwn),
    ...packagesOf(file).filter(folder => !isShared(folder)),
    ...modulesAbove(file).filter(stays),
  ];
  const named = args.map(arg => resolve(cwd, arg)).filter(path => kindOf(path) === 'file' && stays(path));
  const folders = args.flatMap((arg, index) => {
    const option = WORKS_IN.exec(arg);
    return option ? [resolve(cwd, option[1] ?? args[index + 1] ?? '')] : [];
  });
  const searched = PATHS.flatMap(name => (env[name] ?? '').split(':')).filter(
    // Programs of Windows, in WSL, don't run there.
    folder => isAbsolute(folder) && !folder.startsWith('/mnt/') && !strays(folder),
  );
  const own = strays(program) ? [] : [program];
  const code = [...own, ...named.filter(file => CODE.test(file))].flatMap(file => [file, realOf(file) ?? file]);
  return [
    ...code.flatMap(around),
    ...named,
    ...[...own, ...searched].flatMap(path => [path, realOf(path) ?? path]).flatMap(installedIn),
    ...[...folders, ...searched, cwd].filter(folder => isOwn(folder) && stays(folder)),
  ];
}

/** Whether a path in a folder leads out of it by a link. */
export function leadsOut(path: string, folder: string): boolean {
  const real = realPlace(path);
  return isWithin(folder, path) && real !== undefined && !isWithin(realPlace(folder) ?? folder, real);
}

/** Folders with files that a file may need: what npm installed with it, its package, the parent of its `bin`. */
function packagesOf(file: string): string[] {
  const folder = dirname(file);
  const installed = /^.*?\/node_modules(?=\/)/.exec(file)?.[0];
  if (installed) return [installed];
  const prefix = basename(folder) === 'bin' ? [dirname(folder)] : [];
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (MANIFESTS.some(name => kindOf(join(at, name)) === 'file')) return [...prefix, at];
  }
  return prefix;
}

/** What has to be readable besides a file: everything of its package, or else of its folder. */
export const packageAround = (file: string): string => {
  const path = realPlace(file) ?? file;
  return packagesOf(path).at(-1) ?? dirname(path);
};

/** The folder in `/opt` that holds all of a program, or of one that PATH leads to. */
const installedIn = (path: string): string[] => /^\/opt\/[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? [];

/** What npm has installed for a file further up, as in repositories with several packages. */
function modulesAbove(file: string): string[] {
  const parent = dirname(file);
  return parent === file ? [] : [...modulesAbove(parent), join(parent, 'node_modules')];
}

/** A link, and the real path that it leads to. */
export interface WayLink {
  readonly path: string;
  readonly target: string;
}

/** The links on the way to a path: where the folder around one is hidden, a program would not find the path without it. */
export function linksTo(path: string): WayLink[] {
  return wayTo(path).links.flatMap(link => {
    const target = realPlace(link);
    return target === undefined ? [] : [{ path: link, target }];
  });
}

/** Where a path leads, and the links on the way there. */
export interface Way {
  readonly links: readonly string[];
  /** Undefined: nowhere. What does not exist is in the folder that would hold it. */
  readonly real: string | undefined;
}

/**
 * Follows a path. Each part is looked at once: another program may replace one by a link, and back, at any moment, and what is found
 * of links and what is found of the place must then be of one look.
 */
export function wayTo(path: string): Way {
  const links: string[] = [];
  let at = '/';
  for (let rest = partsOf(path); rest.length > 0; ) {
    const [part = '', ...others] = rest;
    const next = join(at, part);
    const kind = linkKind(next);
    if (!kind) return { links, real: join(at, ...rest) };
    const leads = kind === 'link' ? attempt(() => readlinkSync(next)) : undefined;
    if (kind === 'link') links.push(next);
    if (kind === 'link' && (leads === undefined || links.length > MAX_LINKS)) return { links, real: undefined };
    rest = leads === undefined ? others : [...partsOf(resolve(at, leads)), ...others];
    at = leads === undefined ? next : '/';
  }
  return { links, real: at };
}

const partsOf = (path: string) => path.split('/').filter(Boolean);

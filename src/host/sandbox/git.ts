import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { attempt } from '../../base/errors';
import { getOrInsert } from '../../base/events';
import { isWithin, realPlace } from '../../base/filePlace';
import { readBounded } from '../../base/files';
import { findProgram } from '../launch/environment';
import { entriesWithin, isEmptyFolder, linkKind } from './onDisk';

/** A repository of the person. */
export interface Repository {
  /** Its working tree; of a bare repository, itself. */
  readonly top: string;
  /** Its `.git`, which may be a file that names the folder. */
  readonly git: string;
}

/** Those repositories whose index no program can change that may change these places, given as real paths. */
export async function outOfReach(
  repositories: readonly Repository[],
  writable: readonly string[],
): Promise<readonly Repository[]> {
  // In a folder around it, its `.git` stays as it is.
  const parts = writable.map(path => /^.*?\/\.git(?=\/|$)/i.exec(path)?.[0] ?? path);
  const isReached = (folder: string) =>
    parts.some(path => isWithin(folder, path) || (isDotGit(path) && isWithin(path, folder)));
  const folders = await Promise.all(repositories.map(({ git }) => gitFolder(git)));
  return repositories.filter((_, index) => folders[index] !== undefined && !isReached(folders[index]));
}

/** The folder with the index. Undefined: it can't be told. */
async function gitFolder(git: string): Promise<string | undefined> {
  return linkKind(git) === 'file' ? leadOf(git) : realPlace(git);
}

/** What the configuration of git names in a folder, and so runs or obeys. */
interface NamedByGit {
  readonly files: readonly string[];
  /** Folders of hooks and templates, whether or not they exist. */
  readonly folders: readonly string[];
  /** Paths at which a file would be run or obeyed if there were one. */
  readonly missing: readonly string[];
}

const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 4;
/** Keys whose value is a folder with programs. */
const FOLDER_KEYS = /^(core\.hookspath|init\.templatedir)$/;
/** Keys whose values have slashes but are no paths of programs: names of branches, addresses, working trees. */
const OTHER_KEYS = /^(branch|remote|url|submodule|safe|maintenance|gui|user)\.|^core\.worktree$|^alias\.(?!.*\n!)/;
/** What separates the words of a command. */
const BETWEEN = /[\s'"`;|&()<>=,]+/;

/** The nearest repository around a folder, or it itself. @param counts whether a `.git` counts as the person's. */
export function repositoryAround(folder: string, counts = (_git: string) => true): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, '.git');
    if (linkKind(git) && !isEmptyFolder(git) && counts(git)) return { top, git };
    if (top === dirname(top)) return undefined;
  }
}

/**
 * Asks git for the configuration of repositories, with the person's own and all that these include, and returns what it names in
 * a folder. Git runs nothing for that. Undefined: git gave no answer in time.
 * @param writable folders in which git itself must not lie.
 */
export async function namedByGit(
  folder: string,
  repositories: readonly Repository[],
  writable: readonly string[],
): Promise<NamedByGit | undefined> {
  const program = gitProgram(writable);
  const [files, folders, missing] = [new Set<string>(), new Set<string>(), new Set<string>()];
  if (program === undefined) return { files: [], folders: [], missing: [] };
  // All of another `.git` stays as it is anyway.
  const isInside = (path: string) =>
    isWithin(folder, path) && path !== folder && !path.slice(folder.length).split('/').includes('.git');
  for (let at = 0; at < repositories.length; at += AT_ONCE) {
    const some = repositories.slice(at, at + AT_ONCE);
    const answers = await Promise.all(some.map(repository => configurationOf(program, repository)));
    if (answers.includes(undefined)) return undefined;
    for (const [index, answer] of answers.entries()) {
      const { top, git } = some[index]!;
      for (const { origin, key, value } of answer ?? []) {
        if (FOLDER_KEYS.test(key)) for (const path of readingsOf(value, [top]).filter(isInside)) folders.add(path);
        const paths = (word: string) => readingsOf(word, [top, git, dirname(resolve(top, origin))]).filter(isInside);
        for (const word of value.split(BETWEEN).filter(Boolean)) {
          const found = paths(word);
          const there = found.filter(path => ['file', 'link'].includes(linkKind(path) ?? ''));
          for (const path of there) files.add(path);
          const mayCome = /^(?!refs\/)(?!.*:\/\/).*\//.test(word) && !OTHER_KEYS.test(`${key}\n${value}`);
          if (mayCome) for (const path of found) if (!linkKind(path)) missing.add(path);
        }
      }
    }
  }
  return { files: [...files], folders: [...folders], missing: [...missing].filter(path => !folders.has(path)) };
}

/** The paths that git, or a shell that it starts, may take a word for. */
function readingsOf(word: string, bases: readonly string[]): string[] {
  const path = word.replace(/^!/, '');
  if (/^~\//.test(path)) return [join(homedir(), path.slice(2))];
  // What follows the output of a command, as in `$(git rev-parse --show-toplevel)/tools/hook`, begins with a slash too.
  return [...(isAbsolute(path) ? [path] : []), ...bases.map(base => join(base, path))];
}

interface Setting {
  /** The file that it is in. */
  readonly origin: string;
  /** In lower case, but for its middle part. */
  readonly key: string;
  readonly value: string;
}

/** All settings that hold in a repository. Empty: git does not take it for one. Undefined: no answer in time. */
async function configurationOf(program: string, { git }: Repository): Promise<Setting[] | undefined> {
  const said = await runGit(program, ['--git-dir', git, 'config', '--list', '--includes', '--show-origin', '-z']);
  if (said === undefined) return undefined;
  const parts = said.split('\0');
  return parts.flatMap((setting, index) => {
    if (index % 2 === 0) return [];
    const [key = '', ...value] = setting.split('\n');
    return [{ origin: parts[index - 1]!.replace(/^file:/, ''), key, value: value.join('\n') }];
  });
}

/** Nothing is fetched to answer: a repository's own settings say how, and whose program that runs. */
const AT_REST = { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' };

/** What git answers; empty when it fails. Undefined: it took too long or said too much. */
function runGit(program: string, args: readonly string[]): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = {
    cwd: '/',
    timeout: ANSWER_MS,
    maxBuffer: MAX_ANSWER_BYTES,
    killSignal: 'SIGKILL' as const,
    env: { ...env, ...AT_REST, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  };
  return new Promise(done => {
    execFile(program, ['--no-pager', ...args], options, (error, stdout) => {
      const isUnanswered = error && (error.killed || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER');
      done(isUnanswered ? undefined : error ? '' : stdout);
    });
  });
}

/** Where git is. On macOS, `/usr/bin/git` only offers to install it where the tools of Xcode are not. */
function gitProgram(writable: readonly string[]): string | undefined {
  const isOffer = process.platform === 'darwin' && linkKind('/Library/Developer/CommandLineTools') === undefined;
  const found = findProgram('git', process.env, writable);
  return isOffer && found === '/usr/bin/git' && linkKind('/Applications/Xcode.app') === undefined ? undefined : found;
}

/** The most files of one path that are compared, and of one call of git. */
const MAX_FILES = 500;
/** The most of the paths, and of what is in them, that git is asked about: meanwhile all new ones stay where they are. */
const MAX_ASKED = 2_000;
const MAX_VISITED = 20_000;
const MAX_CHECKOUTS = 100;
const PATHS_PER_CALL = 100;
const MAX_LINK_BYTES = 4_096;

/**
 * Of paths that appeared, those that the person's git has put there: files that it tracks, unchanged, and the `.git` files of
 * submodules and worktrees. A program that can't change the repositories can't pretend that.
 */
export async function trackedByGit(
  repositories: readonly Repository[],
  paths: readonly string[],
  writable: readonly string[],
): Promise<ReadonlySet<string>> {
  const program = gitProgram(writable);
  const found = new Set<string>();
  if (program === undefined) return found;
  const known = [...repositories];
  const nearestTo = (path: string) =>
    known.filter(({ top }) => isWithin(top, path)).sort((one, other) => other.top.length - one.top.length)[0];
  // First `.git`: what is in a worktree or submodule is tracked there.
  for (const path of paths.filter(isDotGit).slice(0, MAX_CHECKOUTS)) {
    const nearest = nearestTo(path);
    const git = nearest && (await checkoutAt(program, nearest, path));
    if (git === undefined) continue;
    known.push({ top: dirname(path), git });
    found.add(path);
  }
  const byRepository = new Map<Repository, string[]>();
  for (const path of paths.filter(one => !isDotGit(one)).slice(0, MAX_ASKED)) {
    const nearest = nearestTo(path);
    if (nearest) getOrInsert(byRepository, nearest, () => []).push(path);
  }
  const visits = { left: MAX_VISITED };
  for (const [repository, all] of byRepository)
    for await (const some of inCalls(all, visits))
      for (const path of await unchangedAmong(program, repository, some)) found.add(path);
  return found;
}

type FilesOf = Map<string, readonly string[]>;

/** Paths with the files that they are, or that are in them, as many together as one call of git takes. */
async function* inCalls(paths: readonly string[], visits: { left: number }): AsyncGenerator<FilesOf> {
  let some: FilesOf = new Map();
  let size = 0;
  for (const path of paths) {
    const files = filesIn(path, visits);
    if (!files || files.length === 0) continue;
    if (some.size === PATHS_PER_CALL || size + files.length > MAX_FILES) {
      yield some;
      [some, size] = [new Map(), 0];
    }
    some.set(path, files);
    size += files.length;
  }
  if (some.size > 0) yield some;
}

const isDotGit = (path: string) => basename(path) === '.git';

async function unchangedAmong(program: string, { top, git }: Repository, filesOf: FilesOf): Promise<string[]> {
  const inTop = ['--literal-pathspecs', '-C', top, '--git-dir', git, '--work-tree', top, '-c', 'core.fsmonitor=false'];
  const specs = [...filesOf.keys()].map(path => relative(top, path));
  const listed = await runGit(program, [...inTop, 'ls-files', '-s', '-z', '--', ...specs]);
  const known = new Map<string, string>();
  for (const line of (listed ?? '').split('\0')) {
    const [, mode = '', id = '', name = ''] = /^(\d+) ([\da-f]+) 0\t(.*)$/s.exec(line) ?? [];
    known.set(join(top, name), `${mode.slice(0, 3)} ${id}`);
  }
  const tracked = [...filesOf].filter(([, files]) => files.every(file => known.has(file)));
  const regular = tracked.flatMap(([, files]) => files.filter(file => lstatSync(file).isFile()));
  const hashed =
    regular.length > 0 ? await runGit(program, [...inTop, 'hash-object', '--no-filters', '--', ...regular]) : '';
  const lines = (hashed ?? '').trim().split('\n');
  const ids = new Map(regular.map((file, at) => [file, `100 ${lines[at]}`]));
  const idOf = (file: string) => ids.get(file) ?? linkId(file, known.get(file)!);
  return tracked.filter(([, files]) => files.every(file => known.get(file) === idOf(file))).map(([path]) => path);
}

/** What git has for a link. @param like one of the same repository */
function linkId(file: string, like: string): string {
  const target = readlinkSync(file);
  const hash = createHash(like.length > 50 ? 'sha256' : 'sha1');
  return `120 ${hash.update(`blob ${Buffer.byteLength(target)}\0${target}`).digest('hex')}`;
}

/** Where a file `.git` leads, if that is in the repository, and is for a worktree or submodule that lies exactly there. */
async function checkoutAt(program: string, { git }: Repository, path: string): Promise<string | undefined> {
  if (linkKind(path) !== 'file') return undefined;
  const real = await leadOf(path);
  if (!real || !isWithin(git, real) || real === git) return undefined;
  if ((await firstOf(join(real, 'gitdir'))).trim() === path) return real;
  const top = await runGit(program, ['config', '--file', join(real, 'config'), 'core.worktree']);
  return top && resolve(real, top.trim()) === dirname(path) ? real : undefined;
}

/** Where a file `.git` leads. */
async function leadOf(path: string): Promise<string | undefined> {
  const [, to] = /^gitdir: (.+)$/m.exec(await firstOf(path)) ?? [];
  return to === undefined ? undefined : realPlace(resolve(dirname(path), to));
}

const firstOf = (path: string) => readBounded(path, MAX_LINK_BYTES).catch(() => '');

/** All files in a folder, or the file itself. Undefined: too many, or something other than files and links. */
function filesIn(path: string, visits: { left: number }): string[] | undefined {
  const files: string[] = [];
  let most = MAX_FILES;
  const visit = (at: string): boolean => {
    if (--visits.left < 0 || --most < 0) return false;
    const stat = lstatSync(at);
    if (stat.isDirectory()) return entriesWithin(at, most)?.every(({ name }) => visit(join(at, name))) === true;
    files.push(at);
    return stat.isFile() || stat.isSymbolicLink();
  };
  return attempt(() => (visit(path) ? files : undefined));
}

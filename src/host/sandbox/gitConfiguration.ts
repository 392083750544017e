import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../../base/filePlace';
import { findProgram } from '../launch/findProgram';
import { linkKind } from './onDisk';

/** A repository of the person. */
export interface Repository {
  /** Its working tree; of a bare repository, itself. */
  readonly top: string;
  /** Its `.git`, which may be a file that names the folder. */
  readonly git: string;
}

/** What the configuration of git names in a folder, and so runs or obeys. */
export interface NamedByGit {
  /** Files that exist. */
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

/** The nearest repository around a folder, or the folder itself. */
export function repositoryAround(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, '.git');
    if (linkKind(git)) return { top, git };
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

/** What git answers; empty when it fails. Undefined: it took too long or said too much. */
export function runGit(program: string, args: readonly string[]): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = {
    ...{ cwd: '/', timeout: ANSWER_MS, maxBuffer: MAX_ANSWER_BYTES, killSignal: 'SIGKILL' as const },
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  };
  return new Promise(done => {
    execFile(program, ['--no-pager', ...args], options, (error, stdout) => {
      const isUnanswered = error && (error.killed || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER');
      done(isUnanswered ? undefined : error ? '' : stdout);
    });
  });
}

/** Where git is. On macOS, `/usr/bin/git` only offers to install it where the tools of Xcode are not. */
export function gitProgram(writable: readonly string[]): string | undefined {
  const isOffer = process.platform === 'darwin' && linkKind('/Library/Developer/CommandLineTools') === undefined;
  const found = findProgram('git', process.env, writable);
  return isOffer && found === '/usr/bin/git' && linkKind('/Applications/Xcode.app') === undefined ? undefined : found;
}

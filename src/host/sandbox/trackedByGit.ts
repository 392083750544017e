import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { readBounded } from '../../base/files';
import { gitProgram, type Repository, runGit } from './gitConfiguration';
import { linkKind } from './onDisk';

/** The most files of one folder that are compared. */
const MAX_FILES = 500;
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
  // First `.git`: what is in a worktree or submodule is tracked there.
  for (const path of [...paths].sort((one, other) => Number(isDotGit(other)) - Number(isDotGit(one)))) {
    const around = known.filter(({ top }) => isWithin(top, path));
    const [nearest] = around.sort((one, other) => other.top.length - one.top.length);
    if (!nearest) continue;
    const git = isDotGit(path) ? await checkoutAt(program, nearest, path) : undefined;
    if (git !== undefined) known.push({ top: dirname(path), git });
    if (git !== undefined || (await isUnchanged(program, nearest, path))) found.add(path);
  }
  return found;
}

const isDotGit = (path: string) => basename(path) === '.git';

async function isUnchanged(program: string, { top, git }: Repository, path: string): Promise<boolean> {
  const files = filesIn(path);
  if (!files || files.length === 0) return false;
  const inTop = ['--literal-pathspecs', '-C', top, '--git-dir', git, '--work-tree', top, '-c', 'core.fsmonitor=false'];
  const listed = await runGit(program, [...inTop, 'ls-files', '-s', '-z', '--', relative(top, path)]);
  const known = new Map<string, string>();
  for (const line of (listed ?? '').split('\0')) {
    const [, mode = '', id = '', name = ''] = /^(\d+) ([\da-f]+) 0\t(.*)$/s.exec(line) ?? [];
    known.set(join(top, name), `${mode.slice(0, 3)} ${id}`);
  }
  if (!files.every(file => known.has(file))) return false;
  const regular = files.filter(file => lstatSync(file).isFile());
  const hashed = await runGit(program, [...inTop, 'hash-object', '--no-filters', '--', ...regular]);
  const ids = (hashed ?? '').trim().split('\n');
  const idOf = (file: string) => {
    const at = regular.indexOf(file);
    if (at >= 0) return `100 ${ids[at]}`;
    const target = readlinkSync(file);
    const hash = createHash(known.get(file)!.length > 50 ? 'sha256' : 'sha1');
    return `120 ${hash.update(`blob ${Buffer.byteLength(target)}\0${target}`).digest('hex')}`;
  };
  return files.every(file => known.get(file) === idOf(file));
}

/** Where a file `.git` leads, if that is in the repository, and is for a worktree or submodule that lies exactly there. */
async function checkoutAt(program: string, { git }: Repository, path: string): Promise<string | undefined> {
  if (linkKind(path) !== 'file') return undefined;
  const [, to = ''] = /^gitdir: (.+)$/m.exec(await firstOf(path)) ?? [];
  const real = realPlace(resolve(dirname(path), to));
  if (!real || !isWithin(git, real) || real === git) return undefined;
  if ((await firstOf(join(real, 'gitdir'))).trim() === path) return real;
  const top = await runGit(program, ['config', '--file', join(real, 'config'), 'core.worktree']);
  return top && resolve(real, top.trim()) === dirname(path) ? real : undefined;
}

const firstOf = (path: string) => readBounded(path, MAX_LINK_BYTES).catch(() => '');

/** All files in a folder, or the file itself. Undefined: too many, or something other than files and links. */
function filesIn(path: string): string[] | undefined {
  const files: string[] = [];
  const visit = (at: string): boolean => {
    const stat = lstatSync(at);
    if (stat.isDirectory()) return readdirSync(at).every(name => visit(join(at, name)));
    files.push(at);
    return files.length <= MAX_FILES && (stat.isFile() || stat.isSymbolicLink());
  };
  try {
    return visit(path) ? files : undefined;
  } catch {
    return undefined;
  }
}

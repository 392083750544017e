import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import * as nodePath from 'node:path';
import { WorkspaceMention } from './workspaceMention';

interface Where {
  platform?: NodeJS.Platform;
  /** Whether there is a program at this path. Default: checks the disk. */
  isProgram?(path: string): boolean;
}

/**
 * Finds a program by its name: the first one in PATH, never one in its working folder, which Windows would try first, and
 * none that leads into a folder of `clearOf`. Undefined when there is none.
 */
export function findProgram(
  command: string,
  env: NodeJS.ProcessEnv,
  clearOf: readonly string[],
  { platform = process.platform, isProgram = file => isExecutable(file) }: Where = {},
): string | undefined {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const { delimiter, join } = path;
  const mention = new WorkspaceMention(clearOf, { platform, path });
  const names = platform === 'win32' ? windowsNames(command, env) : [command];
  for (const folder of (read(env, 'PATH') ?? '').split(delimiter)) {
    const at = folder.replaceAll('"', '');
    const found = names.map(name => join(at, name)).find(file => isProgram(file) && !mention.leadsInto(file, at));
    if (at !== '' && found !== undefined) return found;
  }
  return undefined;
}

/**
 * The file that Windows runs for the path of a program, which may lack its extension: `npx` has a script for other shells
 * beside `npx.cmd`. Undefined when there is none: its shell would only exit with 1.
 */
export function programAt(
  path: string,
  env: NodeJS.ProcessEnv,
  { isProgram = file => isExecutable(file) }: Pick<Where, 'isProgram'> = {},
): string | undefined {
  return [...windowsNames(path, env), path].find(file => isProgram(file));
}

/** The names that a program may have in a folder, in the order in which they are tried. */
function windowsNames(command: string, env: NodeJS.ProcessEnv): string[] {
  const extensions = (read(env, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const own = nodePath.win32.extname(command).toLowerCase();
  const isWhole = extensions.some(extension => extension.toLowerCase() === own);
  return [...(isWhole ? [command] : []), ...extensions.map(extension => command + extension)];
}

/** Names of variables have no case there. */
const read = (env: NodeJS.ProcessEnv, wanted: string) =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];

/** What the disk says of a path. Each throws Node's error when it can't. */
interface Disk {
  access(path: string): void;
  stat(path: string): { isFile(): boolean };
  lstat(path: string): { isDirectory(): boolean };
}
const disk: Disk = { access: path => accessSync(path, constants.X_OK), stat: statSync, lstat: lstatSync };

/** Whether a path is a program, as far as the system tells without running it. */
export function isExecutable(path: string, platform = process.platform, { access, stat, lstat }: Disk = disk): boolean {
  try {
    access(path);
    return stat(path).isFile();
  } catch (error) {
    // Programs of the Microsoft Store, such as its `python.exe`, can be run but not examined.
    return platform === 'win32' && (error as NodeJS.ErrnoException).code === 'EACCES' && !isFolder(path, lstat);
  }
}

function isFolder(path: string, lstat: Disk['lstat']): boolean {
  try {
    return lstat(path).isDirectory();
  } catch {
    return true;
  }
}

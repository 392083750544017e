import { accessSync, constants, statSync } from 'node:fs';
import * as nodePath from 'node:path';
import { WorkspaceMention } from '../launch/workspaceMention';

interface Where {
  platform?: NodeJS.Platform;
  /** Whether there is a program of this path. Default: looks at the disk. */
  isProgram?(path: string): boolean;
}

/**
 * The path of a program that is named, not given by its path: the first one in PATH, never one in the folder that it is to
 * run in, which Windows would try first, nor one that leads into a folder of `clearOf`. Undefined when there is none.
 */
export function findProgram(
  command: string,
  env: NodeJS.ProcessEnv,
  clearOf: readonly string[],
  { platform = process.platform, isProgram = isExecutable }: Where = {},
): string | undefined {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const { delimiter, join, extname } = path;
  const read = (wanted: string) => Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];
  const mention = new WorkspaceMention(clearOf, { platform, path });
  const extensions = platform === 'win32' ? (read('PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean) : [];
  const isWhole = platform !== 'win32' || extensions.some(end => end.toLowerCase() === extname(command).toLowerCase());
  const names = [...(isWhole ? [command] : []), ...extensions.map(end => command + end)];
  for (const folder of (read('PATH') ?? '').split(delimiter)) {
    const at = folder.replaceAll('"', '');
    const found = names.map(name => join(at, name)).find(file => isProgram(file) && !mention.leadsInto(file, at));
    if (at !== '' && found !== undefined) return found;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

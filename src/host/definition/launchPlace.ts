import * as nodePath from 'node:path';
import type { ServerEntry } from '../settings';
import type { LaunchPlace } from './definition';

type PathField = 'command' | 'cwd' | 'envFile';

interface PathsOf {
  platform?: NodeJS.Platform;
  path?: Pick<typeof nodePath, 'resolve'>;
}

/**
 * Returns the entry with absolute paths, which do not depend on the editor's working folder.
 * @param isOpen whether a field contains `${input:…}` and can't be resolved yet.
 * @param rules of paths. Default: this machine's.
 */
export function settlePaths(
  entry: ServerEntry,
  { base, saysCwd }: Pick<LaunchPlace, 'base' | 'saysCwd'>,
  isOpen: (field: PathField) => boolean = () => false,
  { platform = process.platform, path: { resolve } = nodePath }: PathsOf = {},
): ServerEntry {
  if (entry.type !== 'stdio') return entry;
  const { command, cwd, envFile } = entry;
  const folder = cwd === undefined || isOpen('cwd') ? cwd : resolve(base, cwd);
  const start = saysCwd ? folder : base;
  const isPath = /[/\\]/.test(platform === 'win32' ? command : command.replaceAll('\\', ''));
  const waits = isOpen('command') || (saysCwd && isOpen('cwd'));
  return {
    ...entry,
    command: isPath && !waits && start !== undefined ? resolve(start, command) : command,
    ...(folder !== undefined && { cwd: folder }),
    ...(envFile !== undefined && { envFile: isOpen('envFile') ? envFile : resolve(base, envFile) }),
  };
}

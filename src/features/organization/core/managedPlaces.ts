import { unwatchFile, watchFile } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileKind } from './managedFile';

/** Where managed files are, and who may have written them. */
export interface ManagedPlaces {
  readonly files: Readonly<Record<FileKind, string>>;
  /** Id of the only user who may own a file and its folder; on Windows, the group. Undefined in tests on Windows: not checked. */
  readonly owner: number | 'administrators' | undefined;
}

const NAME = 'managed-settings.json';
const FOLDERS: Readonly<
  Record<Exclude<FileKind, 'claudeCodeServers'>, readonly [linux: string, darwin: string, windows: string]>
> = {
  own: ['mcp-host', 'MCP Host', 'MCP Host'],
  copilot: ['github-copilot', 'GitHubCopilot', 'GitHubCopilot'],
  claudeCode: ['claude-code', 'ClaudeCode', 'ClaudeCode'],
};

/** The places on this machine. No variable, setting or argument changes them, or a repository could. */
export function managedPlaces(platform: NodeJS.Platform = process.platform): ManagedPlaces {
  const file = (kind: keyof typeof FOLDERS, name = NAME) => {
    const [linux, darwin, windows] = FOLDERS[kind];
    if (platform === 'win32') return `C:\\Program Files\\${windows}\\${name}`;
    return platform === 'darwin' ? `/Library/Application Support/${darwin}/${name}` : `/etc/${linux}/${name}`;
  };
  const files = {
    own: file('own'),
    copilot: file('copilot'),
    claudeCode: file('claudeCode'),
    claudeCodeServers: file('claudeCode', 'managed-mcp.json'),
  };
  return { files, owner: platform === 'win32' ? 'administrators' : 0 };
}

/**
 * Whether there may be a file: it can't be told where nobody may look, where it or its folder is a link that leads nowhere now, and
 * where something else stands in place of the folder.
 */
export async function mayBeThere(path: string): Promise<boolean> {
  const folder = dirname(path);
  if (!(await isMissing(path, lstat))) return true;
  return (await isMissing(folder, stat)) && !(await isMissing(folder, lstat));
}

const isMissing = (path: string, look: (path: string) => Promise<unknown>): Promise<boolean> =>
  look(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );

/**
 * Calls `changed` when a file appears, changes or goes. They are looked at now and then, as a folder that is not there can't be
 * watched. @returns ends that.
 */
export function watchFiles(paths: readonly string[], intervalMs: number, changed: () => void): () => void {
  for (const path of paths) watchFile(path, { persistent: false, interval: intervalMs }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}

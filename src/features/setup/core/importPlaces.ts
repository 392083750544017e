import { posix, win32 } from 'node:path';
import type { Dialect } from './hostVariables';

/** The machine and the window, as far as it matters where files of other hosts are. */
interface Surroundings {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Paths of the folders of the workspace. */
  folders: readonly string[];
}

/** A file, or a folder of files, in which another host keeps its servers. */
export interface ImportPlace {
  /** As people know the host, and what of it: "Claude Code", "VS Code (profile)". */
  host: string;
  path: string;
  dialect: Dialect;
  /** It is in the workspace, written by the workspace's authors. */
  inWorkspace: boolean;
  /** It is a folder: this file in each folder of it, or the files of it that end so. */
  each?: { file: string } | { suffixes: readonly string[] };
}

const CODE_VARIANTS = [
  ['VS Code', 'Code'],
  ['VS Code Insiders', 'Code - Insiders'],
  ['VSCodium', 'VSCodium'],
] as const;
/** Editors built on VS Code, in which Cline runs too. */
const CLINE_IN = [...CODE_VARIANTS, ['Cursor', 'Cursor'], ['Windsurf', 'Windsurf']] as const;
const CLINE = ['User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'];
const YAML = ['.yaml', '.yml', '.json'];

/** Every place where other hosts may have servers, those of the workspace first. */
export function places({ platform, home, env, folders }: Surroundings): ImportPlace[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const config = configFolder({ platform, home, env });
  const place = (host: string, path: string, dialect: Dialect, each?: ImportPlace['each']): ImportPlace => ({
    host,
    path,
    dialect,
    inWorkspace: false,
    ...(each && { each }),
  });
  const inFolders = folders.flatMap(folder => [
    place('VS Code', join(folder, '.vscode', 'mcp.json'), 'vscode'),
    place('Claude Code', join(folder, '.mcp.json'), 'claudeCode'),
    place('Cursor', join(folder, '.cursor', 'mcp.json'), 'cursor'),
    place('Zed', join(folder, '.zed', 'settings.json'), 'zed'),
    place('Continue', join(folder, '.continue', 'mcpServers'), 'continue', { suffixes: YAML }),
  ]);
  const zed = platform === 'win32' ? join(config, 'Zed') : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed');
  return [
    ...inFolders.map(found => ({ ...found, inWorkspace: true })),
    ...CODE_VARIANTS.flatMap(([host, folder]) => [
      place(host, join(config, folder, 'User', 'mcp.json'), 'vscode'),
      place(host, join(config, folder, 'User', 'profiles'), 'vscode', { file: 'mcp.json' }),
    ]),
    place('Claude Desktop', join(config, 'Claude', 'claude_desktop_config.json'), 'claudeDesktop'),
    place('Claude Code', join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'), 'claudeCode'),
    place('Copilot CLI', join(home, '.copilot', 'mcp-config.json'), 'claudeCode'),
    place('Cursor', join(home, '.cursor', 'mcp.json'), 'cursor'),
    place('Windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json'), 'windsurf'),
    place('Zed', join(zed, 'settings.json'), 'zed'),
    ...CLINE_IN.map(([, folder]) => place('Cline', join(config, folder, ...CLINE), 'cline')),
    // In a remote window the extension and its files are there.
    place('Cline', join(home, '.vscode-server', 'data', ...CLINE), 'cline'),
    place('Continue', join(home, '.continue', 'config.yaml'), 'continue'),
    place('Continue', join(home, '.continue', 'config.json'), 'continue'),
    place('Continue', join(home, '.continue', 'mcpServers'), 'continue', { suffixes: YAML }),
  ];
}

/** Where programs keep what a person set. */
function configFolder({ platform, home, env }: Omit<Surroundings, 'folders'>): string {
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || posix.join(home, '.config');
}

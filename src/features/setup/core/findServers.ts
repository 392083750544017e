import { opendir } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { messageOf } from '../../../base/errors';
import { readBounded } from '../../../base/files';
import { isObject } from '../../../base/json';
import type { Phrase, PhraseError } from '../../../base/phrase';
import { SettingsBudget } from '../../../host/settings';
import { readContent, readServers } from './hostDialects';
import type { Dialect } from './hostVariables';
import type { ServerDraft } from './serverDraft';

/** A larger file is no settings. `~/.claude.json` keeps histories too. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The largest file from a workspace: anybody may have written it, and it contains settings only. */
const MAX_WORKSPACE_BYTES = 1024 * 1024;
const MAX_FILES = 100;
/** More names of one folder are not looked at. */
const MAX_NAMES = 10_000;

export interface FoundServers {
  place: ImportPlace;
  path: string;
  /** A folder that these servers are for, where the file has some for each. */
  project?: string;
  servers: readonly ServerDraft[];
  /** How many entries of the file are too many or too large to be read. */
  left?: number;
}

interface Unreadable {
  path: string;
  reason: Phrase | string;
}

interface Findings {
  found: readonly FoundServers[];
  unreadable: readonly Unreadable[];
}

/** Looks into all places. One file that cannot be read takes no other down. */
export async function findServers(places: readonly ImportPlace[]): Promise<Findings> {
  const found: FoundServers[] = [];
  const unreadable: Unreadable[] = [];
  for (const place of places) {
    for (const path of await filesOf(place)) {
      try {
        found.push(...(await readPlace(place, path)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          unreadable.push({ path, reason: (error as Partial<PhraseError>).phrase ?? messageOf(error, 200) });
      }
    }
  }
  return { found: found.filter(({ servers, left }) => servers.length > 0 || left !== undefined), unreadable };
}

/** The servers of one file. Rejects when it is not there, no regular file, too large, or not what its name says. */
export async function readPlace(place: ImportPlace, path: string): Promise<FoundServers[]> {
  const text = await readBounded(path, place.inWorkspace ? MAX_WORKSPACE_BYTES : MAX_BYTES);
  const content = text.trim() === '' ? {} : readContent(text.replace(/^\ufeff/, ''), path);
  const budget = new SettingsBudget();
  const serversIn = (part: unknown) =>
    readServers(part, place.dialect, { budget }).filter(({ entry }) => !isOwnBridge(entry));
  const own = { place, path, servers: serversIn(content) };
  const left = () => (budget.refused > 0 ? { left: budget.refused } : {});
  if (place.dialect !== 'claudeCode' || !isObject(content) || !isObject(content.projects))
    return [{ ...own, ...left() }];
  const projects = Object.entries(content.projects).map(([project, of]) => ({
    place,
    path,
    project,
    servers: serversIn(of),
  }));
  return [{ ...own, ...left() }, ...projects];
}

async function filesOf({ path, each }: ImportPlace): Promise<string[]> {
  if (!each) return [path];
  const names = await namesIn(path).catch(() => []);
  if ('file' in each) return names.slice(0, MAX_FILES).map(name => join(path, name, each.file));
  return names
    .filter(name => each.suffixes.some(suffix => name.endsWith(suffix)))
    .slice(0, MAX_FILES)
    .map(name => join(path, name));
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (names.push(name) >= MAX_NAMES) break;
  }
  return names.sort();
}

const BRIDGE = /[\\/]\.mcp-host[\\/]bridge\.js$/;

/** Whether an entry of another host starts our own bridge: as a server of ours it would lead back to us. */
function isOwnBridge(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const words = [entry.command, entry.args].flat();
  return words.some(word => typeof word === 'string' && BRIDGE.test(word));
}

/** The machine and the window, as far as it matters where files of other hosts are. */
export interface Surroundings {
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
const OPENCODE = ['opencode.json', 'opencode.jsonc'];
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
    place('Gemini CLI', join(folder, '.gemini', 'settings.json'), 'gemini'),
    place('Codex', join(folder, '.codex', 'config.toml'), 'codex'),
    place('Junie', join(folder, '.junie', 'mcp', 'mcp.json'), 'junie'),
    ...OPENCODE.map(name => place('opencode', join(folder, name), 'opencode')),
  ]);
  const dotConfig = env.XDG_CONFIG_HOME || join(home, '.config');
  const zed = platform === 'win32' ? join(config, 'Zed') : join(dotConfig, 'zed');
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
    place('Gemini CLI', join(home, '.gemini', 'settings.json'), 'gemini'),
    place('Antigravity', join(home, '.gemini', 'antigravity', 'mcp_config.json'), 'antigravity'),
    place('Antigravity', join(home, '.gemini', 'config', 'mcp_config.json'), 'antigravity'),
    place('Codex', join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), 'codex'),
    place('Goose', join(dotConfig, 'goose', 'config.yaml'), 'goose'),
    place('Junie', join(home, '.junie', 'mcp', 'mcp.json'), 'junie'),
    ...OPENCODE.map(name => place('opencode', join(dotConfig, 'opencode', name), 'opencode')),
  ];
}

export const importHosts = (): readonly string[] => [
  ...new Set(places({ platform: 'linux', home: '', env: {}, folders: [] }).map(({ host }) => host)),
];

/** Where programs keep what a person set. */
function configFolder({ platform, home, env }: Omit<Surroundings, 'folders'>): string {
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || posix.join(home, '.config');
}

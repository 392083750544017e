import { posix, win32 } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { isObject } from '../../../base/isObject';
import { append } from './addToSettings';

/** The name of the one entry that agents get. */
export const ENTRY = 'mcp-host';

/** A file in which an agent looks for its servers. */
export interface AgentFile {
  /** As people know it. */
  readonly agent: string;
  readonly path: string;
  readonly format: 'mcpServers' | 'copilot' | 'opencode' | 'codex';
  /** Others may get it with the workspace. */
  readonly inWorkspace: boolean;
}

/** The command that starts the bridge. */
export interface BridgeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths of the folders of the workspace. */
  readonly folders: readonly string[];
}

/** The files of the agents that can be set up. */
export function agentFiles({ platform, home, env, folders }: Machine): AgentFile[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const file = (agent: string, path: string, format: AgentFile['format'], inWorkspace = false): AgentFile => ({
    agent,
    path,
    format,
    inWorkspace,
  });
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  return [
    file('Claude Code', join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'), 'mcpServers'),
    file('Codex', join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), 'codex'),
    file('Copilot CLI', join(home, '.copilot', 'mcp-config.json'), 'copilot'),
    file('Cursor', join(home, '.cursor', 'mcp.json'), 'mcpServers'),
    file('opencode', join(config, 'opencode', 'opencode.json'), 'opencode'),
    ...folders.map(folder => file('.mcp.json', join(folder, '.mcp.json'), 'mcpServers', true)),
  ];
}

/** The text of such a file with the entry. Undefined if the file is broken; the same text if it has it. */
export function withBridge(text: string, format: AgentFile['format'], bridge: BridgeCommand): string | undefined {
  if (format === 'codex') return HEADER.test(text) ? text : `${text}${separator(text)}${asToml(bridge)}`;
  const errors: ParseError[] = [];
  const content = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0 || (content !== undefined && !isObject(content))) return undefined;
  const key = format === 'opencode' ? 'mcp' : 'mcpServers';
  const servers = content?.[key];
  if (servers !== undefined && !isObject(servers)) return undefined;
  if (isObject(servers) && Object.hasOwn(servers, ENTRY)) return text;
  return append(text, [key], ENTRY, asJson(format, bridge));
}

function asJson(format: AgentFile['format'], { command, args, env }: BridgeCommand): object {
  if (format === 'opencode')
    return { type: 'local', command: [command, ...args], ...(env && { environment: env }), enabled: true };
  const entry = { command, args, ...(env && { env }) };
  return format === 'copilot' ? { type: 'local', ...entry, tools: ['*'] } : entry;
}

/** Strings of JSON are strings of TOML, too. Nothing that stands in the file already is touched. */
function asToml({ command, args, env }: BridgeCommand): string {
  const lines = [`[mcp_servers.${ENTRY}]`, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  const variables = Object.entries(env ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  if (variables.length > 0) lines.push(`env = { ${variables.join(', ')} }`);
  return `${lines.join('\n')}\n`;
}

const HEADER = /^\s*\[\s*mcp_servers\s*\.\s*(["']?)mcp-host\1\s*\]/m;
const separator = (text: string) => (text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n');

import { posix, win32 } from 'node:path';
import { type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import { isObject } from '../../../base/json';
import { findNode, removeProperty } from '../../settings';
import type { BridgeCommand } from './bridgeCommand';
import { insertMember } from './insertMember';
import { hasTable, mayAddTable, tableOf, withoutTable } from './tomlTable';

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

/** What was written into a file, so that it can be taken out again to the letter. */
export interface WrittenEntry {
  readonly inserted: string;
  /** The file was created for it. */
  readonly isNew: boolean;
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
    file('Gemini CLI', join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'), 'mcpServers'),
    file('opencode', join(config, 'opencode', 'opencode.json'), 'opencode'),
    ...folders.map(folder => file('.mcp.json', join(folder, '.mcp.json'), 'mcpServers', true)),
  ];
}

/**
 * The text of such a file with the entry, which is one insertion: every byte of before stays. Undefined if the file is broken, or
 * of another form; the same text if it has the entry.
 */
export function withBridge(text: string, format: AgentFile['format'], bridge: BridgeCommand): string | undefined {
  if (format === 'codex') {
    if (hasTable(text, ENTRY)) return text;
    return mayAddTable(text) ? text + tableOf(text, ENTRY, bridge) : undefined;
  }
  const root = readable(text);
  if (!root) return undefined;
  const key = keyOf(format);
  const servers = root.value?.[key];
  if (servers !== undefined && !isObject(servers)) return undefined;
  if (servers && Object.hasOwn(servers, ENTRY)) return text;
  return insertMember(text, [key], ENTRY, asJson(format, bridge));
}

/** Whether the text of such a file has the entry. */
export function hasBridge(text: string, format: AgentFile['format']): boolean {
  if (format === 'codex') return hasTable(text, ENTRY);
  const servers = readable(text)?.value?.[keyOf(format)];
  return isObject(servers) && Object.hasOwn(servers, ENTRY);
}

/**
 * The text without the entry: as it was before, where what was written still stands there. Otherwise the entry is cut out, and
 * what was made only to hold it. Null: nothing is left of a file that was made for it. Undefined: there is no entry.
 */
export function withoutBridge(
  text: string,
  format: AgentFile['format'],
  written: WrittenEntry | undefined,
): string | null | undefined {
  if (!hasBridge(text, format)) return undefined;
  const rest = withoutInserted(text, format, written) ?? (format === 'codex' ? withoutTable(text, ENTRY) : cut(text));
  return written?.isNew && /^\s*(\{\s*\})?\s*$/.test(rest) ? null : rest;

  function cut(before: string): string {
    const key = keyOf(format);
    const without = remove(before, [key, ENTRY]);
    const isOurs = written?.inserted.includes(JSON.stringify(key)) === true;
    const holder = nodeAt(without, [key]);
    return isOurs && holder?.children?.length === 0 ? remove(without, [key]) : without;
  }
}

/** Undefined: what was written is not there as it was written, or not only once. */
function withoutInserted(
  text: string,
  format: AgentFile['format'],
  written: WrittenEntry | undefined,
): string | undefined {
  if (!written || written.inserted === '') return undefined;
  const at = text.indexOf(written.inserted);
  if (at < 0 || text.indexOf(written.inserted, at + 1) >= 0) return undefined;
  const rest = text.slice(0, at) + text.slice(at + written.inserted.length);
  if (hasBridge(rest, format)) return undefined;
  return format === 'codex' || readable(rest) ? rest : undefined;
}

/** What `withBridge` has inserted. */
export function insertedBetween(before: string, after: string): string {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  return after.slice(start, start + after.length - before.length);
}

const keyOf = (format: AgentFile['format']) => (format === 'opencode' ? 'mcp' : 'mcpServers');

/** A mark of the byte order is no part of JSON; with a space in its place, nothing moves. */
const unmarked = (text: string) => text.replace(/^\uFEFF/, ' ');

/** Undefined: it is broken, or no object. An empty file has no value. */
function readable(text: string): { readonly value: Readonly<Record<string, unknown>> | undefined } | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parse(unmarked(text), errors, LENIENT);
  return errors.length > 0 || (value !== undefined && !isObject(value)) ? undefined : { value };
}

function nodeAt(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(unmarked(text), [], LENIENT);
  return root && findNode(root, path);
}

function remove(text: string, path: readonly string[]): string {
  const property = nodeAt(text, path)?.parent;
  return property ? removeProperty(text, property) : text;
}

const LENIENT = { allowTrailingComma: true, allowEmptyContent: true };

function asJson(format: AgentFile['format'], { command, args, env }: BridgeCommand): object {
  if (format === 'opencode')
    return { type: 'local', command: [command, ...args], ...(env && { environment: env }), enabled: true };
  const entry = { command, args, ...(env && { env }) };
  return format === 'copilot' ? { type: 'local', ...entry, tools: ['*'] } : entry;
}

import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { matches } from '../../../base/text';
import type { SchemaNode } from './schemaNode';

/** A tool with the name that the language model knows it by. */
export interface OfferedTool {
  /** `server__tool`, at most 64 of `[a-zA-Z0-9_-]`: what model providers accept. */
  readonly name: string;
  readonly serverId: string;
  /** The configured name: what people see. */
  readonly serverName: string;
  readonly tool: Tool;
}

/** A tool as a language model gets it (`LanguageModelChatTool`). */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: SchemaNode;
}

export interface DefinedTool extends OfferedTool {
  readonly definition: Definition;
}

/** Names of the tools that this extension adds itself. They hold no `__`, so that no server's tool can have them. */
export const SEARCH_TOOLS = 'mcp_search_tools';
export const DESCRIBE_TOOL = 'mcp_describe_tool';
export const CALL_TOOL = 'mcp_call_tool';
export const RUN_SCRIPT = 'mcp_run_script';
export const READ_RESOURCE = 'mcp_read_resource';
export const READ_SKILL = 'mcp_read_skill';
export const READ_RESULT = 'mcp_read_result';

const MAX_LENGTH = 64;
const HASH_LENGTH = 10;
/** The length that remains for `server__tool` before `__` and the hash. */
const MAX_STEM = MAX_LENGTH - HASH_LENGTH - '__'.length;
const MAX_SERVER = 20;

/**
 * Names tools, or prompts, for a language model. The name of a tool depends on its server's id and its own name alone, so that it
 * stays the same while other tools come and go. A tool that a server lists twice is named once: a call could not tell
 * the two apart.
 */
export function nameTools<T extends { readonly serverId: string; readonly tool: { readonly name: string } }>(
  tools: readonly T[],
): readonly (T & Pick<OfferedTool, 'name'>)[] {
  const byName = new Map<string, T & Pick<OfferedTool, 'name'>>();
  const seen = new Set<string>();
  for (const offered of tools) {
    const { serverId, tool } = offered;
    const key = JSON.stringify([serverId, tool.name]);
    if (seen.has(key)) continue;
    seen.add(key);
    const name = freeName(serverId, tool.name, byName);
    byName.set(name, { ...offered, name });
  }
  return [...byName.values()];
}

export function toolName(serverId: string, name: string): string {
  const plain = `${serverId}__${name}`;
  return isPlain(serverId, name) && plain.length <= MAX_LENGTH ? plain : hashedName(serverId, name, 0);
}

/** Two tools with one hash don't happen by chance, but may be made on purpose: the later one gets another. */
function freeName(serverId: string, name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = toolName(serverId, name);
  for (let attempt = 1; taken.has(free); attempt++) free = hashedName(serverId, name, attempt);
  return free;
}

/** Whether only this pair can have made `server__tool`: it has one `__`, a hash a second. Some want a letter first. */
function isPlain(serverId: string, name: string): boolean {
  return (
    /^[a-zA-Z][a-zA-Z0-9_-]*$/.test(serverId) &&
    /^[a-zA-Z0-9-][a-zA-Z0-9_-]*$/.test(name) &&
    !/__|_$/.test(serverId) &&
    !name.includes('__')
  );
}

/** `server__tool__hash`, with what of the two names can be read. */
function hashedName(serverId: string, name: string, attempt: number): string {
  const server = readable(serverId, MAX_SERVER).replace(/^(?=[0-9])/, 's') || 'server';
  const tool = readable(name, MAX_STEM - '__'.length - server.length) || 'tool';
  return `${server}__${tool}__${hash(serverId, name, attempt)}`;
}

function readable(text: string, maxLength: number): string {
  return text
    .slice(0, 200)
    .replace(/[^a-zA-Z0-9-]+/g, '_')
    .slice(0, maxLength)
    .replace(/^[_-]+|(?<![_-])[_-]+$/g, '');
}

/** 51 bits as ten characters of `[0-9a-z]`. */
function hash(serverId: string, name: string, attempt: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(attempt === 0 ? [serverId, name] : [serverId, name, attempt]))
    .digest('hex');
  return BigInt(`0x${digest}`).toString(36).padStart(50, '0').slice(-HASH_LENGTH);
}

/** Whether patterns name a tool: `server/tool`, or `server` for all of its tools; `*` for any characters. */
export function toolMatcher(patterns: readonly unknown[]): (server: string, tool: string) => boolean {
  const wanted = patterns.filter(pattern => typeof pattern === 'string' && pattern !== '') as readonly string[];
  return (server, tool) =>
    wanted.some(pattern => matches(pattern, pattern.includes('/') ? `${server}/${tool}` : server));
}

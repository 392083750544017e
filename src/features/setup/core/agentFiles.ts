import { dirname, join, posix, relative, win32 } from 'node:path';
import { type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import { isObject, nestsTooDeeply } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { findNode, removeProperty } from '../../settings/core';
import type { Surroundings } from './findServers';
import { insertMember } from './settingsText';

/** The name of the one entry that agents get. */
export const ENTRY = 'mcp-host';

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
  readonly isNew: boolean;
}

export function agentFiles({ platform, home, env, folders }: Surroundings): AgentFile[] {
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

/** The file with the entry, as one insertion; the same if it has it. Undefined: broken, or of another form. */
export function withBridge(text: string, format: AgentFile['format'], bridge: BridgeCommand): string | undefined {
  if (format === 'codex') {
    if (hasTable(text, ENTRY)) return text;
    const isInOneLine = sections(text).some(({ path, body }) => !path?.length && body.some(line => OUTSIDE.test(line)));
    return isInOneLine ? undefined : text + tableOf(text, ENTRY, bridge);
  }
  const root = readable(text);
  if (!root) return undefined;
  const key = keyOf(format);
  const servers = root.value?.[key];
  if (servers !== undefined && !isObject(servers)) return undefined;
  if (servers && Object.hasOwn(servers, ENTRY)) return text;
  return insertMember(text, [key], ENTRY, asJson(format, bridge));
}

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
  return written?.isNew && /^\s*(\{\s*\}\s*)?$/.test(rest) ? null : rest;

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
  if (nestsTooDeeply(text)) return undefined;
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

/** Where Gemini CLI keeps which folders it trusts. */
export const trustFileOf = (file: AgentFile): string | undefined =>
  file.agent === 'Gemini CLI' ? join(dirname(file.path), 'trustedFolders.json') : undefined;

interface AgentFileText {
  readonly file: AgentFile;
  readonly text: string;
  /** That of `trustFileOf`. */
  readonly trust: string | undefined;
  readonly folders: readonly string[];
}

/** Why an agent will not start the server although the entry is there: agents have a trust of their own. Sentences. */
export function agentRefusals({ file, text, trust, folders }: AgentFileText): Phrase[] {
  // Codex has its servers in TOML, and asks nothing about those of the person.
  if (file.format === 'codex') return [];
  const settings = objectOf(text);
  if (file.inWorkspace)
    return [
      phrase('Claude Code reads this file only in folders that it trusts, and asks once whether to use its servers.'),
    ];
  if (file.agent !== 'Gemini CLI') return [];
  const { allowed, excluded } = objectIn(settings, 'mcp');
  const isExcluded = Array.isArray(excluded) && excluded.includes(ENTRY);
  const isLeftOut = Array.isArray(allowed) && !allowed.includes(ENTRY);
  const said: Phrase[] = [];
  if (isExcluded)
    said.push(phrase('"{0}" in this file turns the server off. Take "{1}" out of it.', 'mcp.excluded', ENTRY));
  if (isLeftOut)
    said.push(
      phrase('"{0}" in this file lists the only servers that are used. Add "{1}" to it.', 'mcp.allowed', ENTRY),
    );
  const { enabled } = objectIn(objectIn(settings, 'security'), 'folderTrust');
  const rules = objectOf(trust ?? '');
  for (const folder of folders) {
    const answer = geminiTrust(rules, folder);
    if (enabled === false || answer === true || (answer === undefined && enabled !== true)) continue;
    said.push(
      phrase(
        'Gemini CLI starts no servers in {0}, because it does not trust that folder. Run /permissions in it there.',
        visible(folder, 200),
      ),
    );
  }
  return said;
}

/** Undefined: it will ask. */
function geminiTrust(rules: Readonly<Record<string, unknown>>, folder: string): boolean | undefined {
  const isIn = (outer: string) => !/^(\.\.([\\/]|$)|[A-Za-z]:|\/)/.test(relative(outer, folder));
  const answers = Object.entries(rules);
  if (answers.some(([path, answer]) => answer === 'TRUST_FOLDER' && isIn(path))) return true;
  if (answers.some(([path, answer]) => answer === 'TRUST_PARENT' && isIn(dirname(path)))) return true;
  return answers.some(([path, answer]) => answer === 'DO_NOT_TRUST' && relative(path, folder) === '')
    ? false
    : undefined;
}

const objectOf = (text: string): Readonly<Record<string, unknown>> => readable(text)?.value ?? {};
const objectIn = (object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> =>
  Object.hasOwn(object, key) && isObject(object[key]) ? object[key] : {};

/*
 * The tables of a TOML file, found by the headers on its lines: enough to add one at the end and to take it out again, without
 * touching a byte of the rest.
 */

interface Section {
  /** Its names; undefined for what stands before the first header. */
  readonly path: readonly string[] | undefined;
  readonly start: number;
  end: number;
  readonly body: string[];
}

const HEADER = /^\s*\[\[?([^\]]*)\]\]?\s*(#.*)?$/;
const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g;
const SERVERS = 'mcp_servers';

const hasTable = (text: string, name: string): boolean => sections(text).some(section => holds(section, name));

/** All servers in one line, which no table may follow. */
const OUTSIDE = /^\s*("mcp_servers"|'mcp_servers'|mcp_servers)\s*=/;

/** What is to be added at the end of the text. Strings of JSON are strings of TOML, too. */
function tableOf(text: string, name: string, { command, args, env }: BridgeCommand): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = [`[${SERVERS}.${name}]`, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  const variables = Object.entries(env ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  if (variables.length > 0) lines.push(`env = { ${variables.join(', ')} }`);
  const before = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${before}${lines.join(eol)}${eol}`;
}

/** Without the table of a server and what belongs to it. Comments above the table that follows stay. */
function withoutTable(text: string, name: string): string {
  return sections(text).reduceRight((rest, section) => {
    const { path, start, end, body } = section;
    if (!holds(section, name)) return rest;
    if (path?.[1] !== name) {
      const head = rest.slice(start, end).split(/(?<=\n)/);
      return rest.slice(0, start) + head.filter(line => !memberOf(name).test(line)).join('') + rest.slice(end);
    }
    const after = body.slice(body.findLastIndex(line => !/^\s*(#|$)/.test(line)) + 1);
    const comments = after.slice(after.findIndex(line => line.trim() !== ''));
    const isAbove = end < text.length && after.some(line => line.trim() !== '');
    return rest.slice(0, start) + (isAbove ? comments.join('') : '') + rest.slice(end);
  }, text);
}

function holds({ path, body }: Section, name: string): boolean {
  if (path?.[0] !== SERVERS) return false;
  return path[1] === name || (path.length === 1 && body.some(line => memberOf(name).test(line)));
}

/** A server as a member of the one table. */
const memberOf = (name: string) => new RegExp(`^\\s*(["']?)${name}\\1\\s*[.=]`);

function sections(text: string): Section[] {
  const all: Section[] = [{ path: undefined, start: 0, end: 0, body: [] }];
  let quotes: string | undefined;
  let offset = 0;
  for (const line of text.replace(/^\uFEFF/, ' ').split(/(?<=\n)/)) {
    const header = quotes === undefined ? HEADER.exec(line.trimEnd()) : undefined;
    if (header?.[1] !== undefined) {
      const path = [...header[1].matchAll(PART)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
      all.push({ path, start: offset, end: 0, body: [] });
    } else {
      // What stands in a text over several lines is no header.
      for (const [mark] of line.matchAll(/"""|'''/g))
        quotes = quotes === undefined ? mark : quotes === mark ? undefined : quotes;
      all.at(-1)?.body.push(line);
    }
    offset += line.length;
    all.at(-1)!.end = offset;
  }
  return all;
}

export interface BridgeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

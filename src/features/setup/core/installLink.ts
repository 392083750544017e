import { isObject } from '../../../base/json';
import { readServers } from './hostDialects';
import type { Json, ServerDraft } from './serverDraft';

const MAX_DEPTH = 3;

/**
 * The server in an install link of another host (`vscode:mcp/install?…`, `cursor://…/mcp/install?…` and the web pages that lead
 * there). Undefined for other links. Nothing is fetched.
 */
export function serverInLink(link: string, depth = 0): ServerDraft | undefined {
  if (depth > MAX_DEPTH || !URL.canParse(link)) return undefined;
  const url = new URL(link);
  const { searchParams: query } = url;
  if (!/(^|\/)(mcp\/install|install-mcp|add_mcp|redirect)\b/.test(`${url.hostname}${url.pathname}`)) return undefined;
  const inner = query.get('url');
  if (inner !== null && !query.has('config')) return serverInLink(inner, depth + 1);
  const server = jsonOf(query.get('config') ?? decoded(url.search.slice(1)));
  if (!isObject(server)) return undefined;
  const name = query.get('name') ?? (typeof server.name === 'string' ? server.name : '');
  const inputs = jsonOf(query.get('inputs') ?? '') ?? server.inputs;
  const content = name === '' ? [server] : undefined;
  const dialect = /\$\{input:/.test(JSON.stringify(server)) ? 'vscode' : 'unknown';
  // Without a name it is one of a list, and gets its name from what it runs.
  const [draft] = content
    ? readServers({ mcpServers: content }, dialect)
    : readServers({ servers: { [name]: server }, inputs }, dialect);
  return draft;
}

/** JSON, or JSON in base64. */
function jsonOf(text: string): Json | unknown[] | undefined {
  for (const candidate of [text, Buffer.from(text, 'base64').toString('utf8')]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null) return value as Json;
    } catch {
      // The other, or none.
    }
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/**
 * The text that a link to this extension puts into the box, by its query, in which the editor has decoded everything: `text=…`,
 * or `name=…&config=…` with the entry as JSON or in base64.
 */
export function textOfLink(query: string): string {
  const [, text] = /^text=(.*)$/s.exec(query) ?? [];
  if (text !== undefined) return text;
  const [, before = '', rest = ''] = /^(.*?)&?\bconfig=(.*)$/s.exec(query) ?? [];
  const [, config = rest, after = ''] = /^(.*)&(name=[^&]*)$/s.exec(rest) ?? [];
  const name = new URLSearchParams(before).get('name') ?? new URLSearchParams(after).get('name') ?? 'server';
  const server = jsonOf(config) ?? jsonOf(config.replaceAll(' ', '+'));
  return server ? JSON.stringify({ servers: { [name]: server } }) : config;
}

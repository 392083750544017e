import type { BridgeCommand } from './bridgeCommand';

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

const HEADER = /^\s*\[\[?\s*([^\]]*?)\s*\]\]?\s*(#.*)?$/;
const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g;
const SERVERS = 'mcp_servers';

/** Whether it has the table of a server. */
export const hasTable = (text: string, name: string): boolean => sections(text).some(section => holds(section, name));

/** Whether a table may follow: not where the servers are in one line. */
export function mayAddTable(text: string): boolean {
  return !sections(text).some(({ path, body }) => !path?.length && body.some(line => OUTSIDE.test(line)));
}
const OUTSIDE = /^\s*("mcp_servers"|'mcp_servers'|mcp_servers)\s*=/;

/** What is to be added at the end of the text. Strings of JSON are strings of TOML, too. */
export function tableOf(text: string, name: string, { command, args, env }: BridgeCommand): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = [`[${SERVERS}.${name}]`, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  const variables = Object.entries(env ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  if (variables.length > 0) lines.push(`env = { ${variables.join(', ')} }`);
  const before = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${before}${lines.join(eol)}${eol}`;
}

/** Without the table of a server and what belongs to it. Comments above the table that follows stay. */
export function withoutTable(text: string, name: string): string {
  return sections(text).reduceRight((rest, section) => {
    const { path, start, end, body } = section;
    if (!holds(section, name)) return rest;
    if (path?.[1] !== name) {
      const head = rest.slice(start, end).split(/(?<=\n)/);
      return rest.slice(0, start) + head.filter(line => !keyOf(name).test(line)).join('') + rest.slice(end);
    }
    const after = body.slice(body.findLastIndex(line => !/^\s*(#.*)?\s*$/.test(line)) + 1);
    const comments = after.slice(after.findIndex(line => line.trim() !== ''));
    const isAbove = end < text.length && after.some(line => line.trim() !== '');
    return rest.slice(0, start) + (isAbove ? comments.join('') : '') + rest.slice(end);
  }, text);
}

function holds({ path, body }: Section, name: string): boolean {
  if (path?.[0] !== SERVERS) return false;
  return path[1] === name || (path.length === 1 && body.some(line => keyOf(name).test(line)));
}

/** A server as a member of the one table. */
const keyOf = (name: string) => new RegExp(`^\\s*(["']?)${name}\\1\\s*[.=]`);

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

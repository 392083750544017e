// A bundle of its own (esbuild.js), with the first `.mcp.json` of a folder.
import { type ParseError, parse } from 'jsonc-parser';
import { isObject } from '../../../base/json';
import { readServers } from './hostDialects';

/** The servers of a project's `.mcp.json`, in the form of our settings. */
export interface ProjectServers {
  /** As `mcpHost.servers`. What is no server is as written, for checks to say what is wrong. */
  readonly value: Readonly<Record<string, unknown>>;
  /** As `mcpHost.inputs`: those that entries name, as the file has none. */
  readonly inputs: readonly object[];
}

/** Fields of ours that the file may have, too. Other hosts ignore them. */
const OWN = ['enabled', 'start', 'timeouts', 'sandbox', 'roots', 'dev', 'logLevel', 'protocol'] as const;

/**
 * Reads a `.mcp.json`, with its variables as Claude Code and the editor have them (`${NAME}`, `${env:NAME}`).
 *
 * @returns undefined for a text that is not readable, as while somebody is writing it.
 */
export function projectServers(text: string): ProjectServers | undefined {
  const errors: ParseError[] = [];
  const content: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(content)) return undefined;
  const written = isObject(content.mcpServers) ? content.mcpServers : {};
  const drafts = readServers({ mcpServers: written }, 'claudeCode');
  const entries = new Map(drafts.map(({ name, entry }) => [name, entry]));
  const value = Object.entries(written).map(([name, raw]) => {
    const entry = entries.get(name);
    if (!entry || !isObject(raw)) return [name, raw] as const;
    const own = OWN.flatMap(key => (Object.hasOwn(raw, key) ? [[key, raw[key]] as const] : []));
    return [name, { ...Object.fromEntries(own), ...entry }] as const;
  });
  return { value: Object.fromEntries(value), inputs: drafts.flatMap(({ inputs }) => inputs) };
}

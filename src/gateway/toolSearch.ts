import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { isObject } from '../base/json';
import { revealedData } from '../base/modelData';
import { visible } from '../base/text';

/** Finds tools by words, the best first. */
export type FindTools = (tools: readonly Tool[], query: string, limit: number) => readonly Tool[];

/** Searching costs a round, so it is of use only for more tools than this. */
const FEW = 8;
const MAX_FOUND = 10;
const MAX_DESCRIBED = 10;
const MAX_NAMES = 1_000;

const SEARCH = 'mcp_search_tools';
const DESCRIBE = 'mcp_describe_tool';
const CALL = 'mcp_call_tool';

export interface SearchOptions {
  /** With this, clients find the tools of servers with many by words. Absent: they get them all. */
  readonly findTools?: FindTools;
  /** How many tools a client gets as they are. Default: few. */
  readonly mostListed?: number;
}

/** Whether a client gets the tools that search instead of these. */
export const isSearched = ({ findTools, mostListed = FEW }: SearchOptions, tools: readonly Tool[]): boolean =>
  findTools !== undefined && tools.length > mostListed;

/**
 * The search tools that replace a server's tools. The editor does not ask about them, as they declare themselves read-only: MCP
 * Host asks about the tool that is called, so that a permission covers that one alone.
 */
export function searchingTools(server: string, tools: readonly Tool[]): Tool[] {
  const names = visible(tools.map(({ name }) => name).join(', '), MAX_NAMES);
  const tool = (name: string, description: string, properties: Tool['inputSchema']['properties'] & {}): Tool => ({
    name,
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
    annotations: { readOnlyHint: true },
  });
  return [
    tool(
      SEARCH,
      `Finds tools of the MCP server "${visible(server, 100)}", which has ${tools.length}: ${names}. Gives their definitions.`,
      { query: { type: 'string', description: 'A few words: what the tool does, or its name' } },
    ),
    tool(DESCRIBE, 'Gets the full tool definitions by name.', { names: { type: 'array', items: { type: 'string' } } }),
    tool(CALL, `Calls a tool that ${SEARCH} has found.`, {
      name: { type: 'string' },
      arguments: { type: 'object', description: 'As the input schema of the tool has them' },
    }),
  ];
}

/** The call that a call of one of them stands for, or its answer. Undefined: it is of a tool of the server. */
export function searchedCall(
  find: FindTools,
  tools: readonly Tool[],
  name: string,
  args: Record<string, unknown>,
): { readonly name: string; readonly args: Record<string, unknown> } | CallToolResult | undefined {
  switch (name) {
    case SEARCH: {
      const found = find(tools, typeof args.query === 'string' ? args.query : '', MAX_FOUND);
      return found.length > 0 ? definitions(found) : said('No tool fits. Try other words.');
    }
    case DESCRIBE: {
      const names = Array.isArray(args.names) ? args.names.slice(0, MAX_DESCRIBED) : [];
      const asked = tools.filter(tool => names.includes(tool.name) || names.includes(visible(tool.name)));
      return asked.length > 0 ? definitions(asked) : said(`There are no such tools. Find them with ${SEARCH}.`);
    }
    case CALL:
      return { name: String(args.name), args: isObject(args.arguments) ? args.arguments : {} };
    default:
      return undefined;
  }
}

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

function definitions(tools: readonly Tool[]): CallToolResult {
  const lines = tools.map(({ name, title, description, inputSchema }) =>
    JSON.stringify(revealedData({ name, ...(title && { title }), description, inputSchema })),
  );
  return said(lines.join('\n'));
}

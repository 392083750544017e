import type { Tool } from '@modelcontextprotocol/client';
import { ToolIndex } from './relevance';
import { nameTools } from './toolNames';

/** The index of a server's tools is made once, until they are others. */
const indexes = new WeakMap<Tool, { readonly tools: readonly Tool[]; readonly index: ToolIndex }>();

/** Tools of one server that share words with a query, the best first. */
export function findTools(tools: readonly Tool[], query: string, limit: number): readonly Tool[] {
  const [first] = tools;
  if (!first) return [];
  let known = indexes.get(first);
  if (known?.tools.length !== tools.length || !known.tools.every((tool, at) => tool === tools[at])) {
    known = { tools, index: new ToolIndex(nameTools(tools.map(tool => ({ serverId: '', serverName: '', tool })))) };
    indexes.set(first, known);
  }
  return known.index.search(query, limit).map(({ tool }) => tool.tool);
}

import type { Tool } from '@modelcontextprotocol/client';
import { visible } from '../../../base/text';
import type { InterfaceSnapshot } from '../../authors/core';
import { argumentsInItsTerms, type DefinedTool, defineTool, nameTools } from '../../languageModel/core';

/** A model's choice for a question. */
export interface Choice {
  /** The server's name of the tool that it wanted to call; one that it invented as it wrote it. Undefined: it called none. */
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** The tools of a server in one version, as `@mcp` would give them to a model. */
export class ToolVersion {
  /** By the names that the model knows. */
  readonly #tools: ReadonlyMap<string, DefinedTool>;
  /** Names of tools that no provider would accept. */
  readonly leftOut: readonly string[];

  /** @param isOffered leaves out tools that are not for models. */
  constructor(server: string, { tools }: Pick<InterfaceSnapshot, 'tools'>, isOffered: (name: string) => boolean) {
    const listed = Object.entries(tools)
      .filter(([name]) => isOffered(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => ({ serverId: server, serverName: server, tool: toolOf(name, item) }));
    const made = nameTools(listed).map(named => ({ named, defined: defineTool(named) }));
    this.#tools = new Map(
      made.flatMap(({ named: { name }, defined }) => ('problem' in defined ? [] : [[name, defined]])),
    );
    this.leftOut = made.flatMap(({ named, defined }) => ('problem' in defined ? [named.tool.name] : []));
  }

  get definitions(): readonly DefinedTool['definition'][] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /** The server's names. */
  get names(): readonly string[] {
    return [...this.#tools.values()].map(({ tool }) => tool.name);
  }

  /** The server's view of a model's call. */
  choice(name: string, input: object): Choice {
    const called = this.#tools.get(name);
    if (!called) return { tool: visible(name, 100), arguments: { ...input } };
    const { tool } = called;
    return { tool: tool.name, arguments: argumentsInItsTerms(tool, { ...input }) };
  }
}

/** Anybody may have written a snapshot file: it may contain anything in place of texts. */
function toolOf(name: string, { title, description, inputSchema }: InterfaceSnapshot['tools'][string]): Tool {
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema as Tool['inputSchema'],
  };
}

import type { Tool } from '@modelcontextprotocol/server';
import { fingerprint } from '../base/fingerprint';
import { namedFor, restored } from '../base/modelData';
import { visible } from '../base/text';
import type { ServerConnection } from '../host';
import type { ToolSearchOptions } from './toolSearch';

type Arguments = Record<string, unknown>;

/** How tools are converted for a client that hands them to models as they are, such as the editor's. */
export interface ToolConversion {
  /** The input schema that models get. Undefined: none would accept it, so the tool is left out. */
  schemaFor(server: ServerConnection, tool: Tool): Tool['inputSchema'] | undefined;
  /** The arguments that the server gets, or what the model has to mend. */
  argumentsFor(tool: Tool, given: Arguments): { readonly args: Arguments } | { readonly problem: string };
}

/** How clients get the tools of a server. */
export interface ToolOptions {
  /** Whether they search for tools instead of getting them all. Absent: they get them all. */
  readonly toolSearch?: ToolSearchOptions;
  /** Absent: they get the server's own definitions. */
  readonly toolConversion?: ToolConversion;
}

/** How much of a tool's name is sure to remain when the editor has put a prefix for the server before it. */
const KEPT_BY_EDITOR = 46;
const HASH_LENGTH = 10;

/** The tools of one server as clients list them: converted for models, or, without a conversion, the server's own. */
export class ToolsForModels {
  readonly #converted = new WeakMap<Tool, Tool>();

  constructor(
    private readonly server: ServerConnection,
    private readonly conversion?: ToolConversion,
  ) {}

  /** Those of the tools that models accept, each with its form for them: always the same object for the same tool and name. */
  list(tools: readonly Tool[]): readonly { readonly tool: Tool; readonly listed: Tool }[] {
    const names = this.#names();
    return tools.flatMap(tool => {
      const listed = this.#convert(tool, names.get(tool) ?? tool.name);
      return listed ? [{ tool, listed }] : [];
    });
  }

  /** The tool that a client means by a name. */
  named(name: string): Tool | undefined {
    const { tools } = this.server.catalog;
    return [...this.#names()].find(([, listed]) => listed === name)?.[0] ?? namedFor(tools, name);
  }

  /** The arguments for the server. Those of an app are in its server's own terms. */
  argumentsFor(tool: Tool, given: Arguments, isOfApp: boolean): ReturnType<ToolConversion['argumentsFor']> {
    if (this.conversion && !isOfApp) return this.conversion.argumentsFor(tool, given);
    return { args: restored(tool.inputSchema, given) };
  }

  #names(): ReadonlyMap<Tool, string> {
    return this.conversion ? distinctNames(this.server.catalog.tools) : new Map();
  }

  #convert(tool: Tool, name: string): Tool | undefined {
    if (!this.conversion) return tool;
    const inputSchema = this.conversion.schemaFor(this.server, tool);
    if (!inputSchema) return undefined;
    let converted = this.#converted.get(tool);
    if (converted?.name !== name) {
      const title = tool.title ?? tool.annotations?.title ?? tool.name;
      const description = tool.description?.trim() ? tool.description : visible(title);
      converted = { ...tool, name, description, inputSchema, ...(name !== tool.name && { title }) };
      this.#converted.set(tool, converted);
    }
    return converted;
  }
}

const unhinted = new WeakMap<Tool, Tool>();

/** The tool without the hint that it only reads: always the same object for the same tool. */
export function withoutReadHint(tool: Tool): Tool {
  let without = unhinted.get(tool);
  if (!without) {
    const { readOnlyHint: _, ...annotations } = tool.annotations ?? {};
    without = { ...tool, annotations };
    unhinted.set(tool, without);
  }
  return without;
}

/**
 * Names for those tools that the editor could not tell from another one: it replaces characters and cuts what is long, and takes
 * only one tool of each resulting name. The same while the server's tools are.
 */
function distinctNames(tools: readonly Tool[]): ReadonlyMap<Tool, string> {
  const alike = Map.groupBy(tools, ({ name }) => name.replace(/[^a-z0-9_-]/gi, '_').slice(0, KEPT_BY_EDITOR));
  return new Map(
    [...alike]
      .filter(([, group]) => group.length > 1)
      .flatMap(([kept, group]) =>
        group
          .filter(({ name }) => name !== kept)
          .map(tool => {
            const hash = fingerprint(tool.name).slice(0, HASH_LENGTH);
            return [tool, `${kept.slice(0, KEPT_BY_EDITOR - HASH_LENGTH - 1)}_${hash}`] as const;
          }),
      ),
  );
}

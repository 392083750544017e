import type { Tool } from '@modelcontextprotocol/server';
import { type Event, getOrInsert } from '../base/events';
import { fingerprint } from '../base/fingerprint';
import { namedFor, restored } from '../base/modelData';
import { visible } from '../base/text';
import type { Pins } from '../features/trust/core';
import type { ServerConnection } from '../host';
import { type CatalogItems, isFor } from '../host/catalog';
import type { SearchOptions } from './toolSearch';

type Arguments = Record<string, unknown>;

/** How a client makes the names that its models see from those of a server's tools. Two that become equal are one tool to it. */
export interface ClientNames {
  /** How many characters of a name are sure to remain. */
  readonly kept: number;
  /** The characters that become another one. */
  readonly replaced: RegExp;
  /** Whether longer names are shortened here, and not by the client. */
  readonly isShortened?: boolean;
}

/** How tools are converted for a client that hands them to models as they are, such as the editor's. */
export interface ToolConversion {
  /** Absent: those of the editor's Local chat. */
  readonly names?: ClientNames;
  /** Called once with each tool that is listed under another name. */
  renamed?(server: ServerConnection, tool: Tool, name: string): void;
  /** Makes the schemas of many tools ready. */
  prepare?(tools: readonly Tool[]): Promise<void>;
  /** The input schema that models get. Undefined: none would accept it, so the tool is left out. */
  schemaFor(server: ServerConnection, tool: Tool): Tool['inputSchema'] | undefined;
  /** The arguments that the server gets, or what the model has to mend. */
  argumentsFor(tool: Tool, given: Arguments): { readonly args: Arguments } | { readonly problem: string };
}

export interface ToolOptions extends SearchOptions {
  /** Absent: they get the server's own definitions. */
  readonly toolConversion?: ToolConversion;
}

/** The editor's Local chat puts a prefix for the server before a name, and cuts it. */
const LOCAL_NAMES: ClientNames = { kept: 46, replaced: /[^a-z0-9_-]/gi };
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
    const { conversion, server } = this;
    return conversion ? distinctNames(server.catalog.tools, conversion.names ?? LOCAL_NAMES) : new Map();
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
      if (name !== tool.name) this.conversion.renamed?.(this.server, tool, name);
    }
    return converted;
  }
}

/** Whether a tool declares itself read-only: the editor asks before all others, unless the person has told it not to. */
export const saysItReads = ({ annotations }: Pick<Tool, 'annotations'>): boolean => annotations?.readOnlyHint === true;

const readers = new WeakMap<Tool, Tool>();
const others = new WeakMap<Tool, Tool>();

/** The tool with or without the hint that it only reads: always the same object for the same tool. */
export const withReadHint = (tool: Tool, readOnlyHint: boolean): Tool =>
  getOrInsert(readOnlyHint ? readers : others, tool, () => {
    const { readOnlyHint: _, ...annotations } = tool.annotations ?? {};
    return { ...tool, annotations: { ...annotations, ...(readOnlyHint && { readOnlyHint }) } };
  });

/**
 * The tool as one that only reads, in every hint by which clients decide whether to ask, so that MCP Host alone asks.
 * @param isText whether its results are text alone, so that no schema of structured content is promised
 */
export function asReader(tool: Tool, isText: boolean | undefined): Tool {
  const annotations = { ...tool.annotations, readOnlyHint: true, destructiveHint: false, openWorldHint: false };
  const { outputSchema, ...others } = tool;
  return { ...others, annotations, ...(!isText && outputSchema && { outputSchema }) };
}

/** Names for those tools that a client could not tell from another one. The same while the server's tools are. */
export function distinctNames(
  tools: readonly Tool[],
  { kept, replaced, isShortened = false }: ClientNames,
): ReadonlyMap<Tool, string> {
  const alike = Map.groupBy(tools, ({ name }) => name.replace(replaced, '_').slice(0, kept));
  return new Map(
    [...alike].flatMap(([start, group]) =>
      group
        .filter(({ name }) => (group.length > 1 && name !== start) || (isShortened && name.length > kept))
        .map(tool => [
          tool,
          `${start.slice(0, kept - HASH_LENGTH - 1)}_${fingerprint(tool.name).slice(0, HASH_LENGTH)}`,
        ]),
    ),
  );
}

/** The items of a server that clients get. One that is coming back keeps those that it listed last. */
export const listedFor = <K extends 'tools' | 'prompts'>(
  server: ServerConnection,
  kind: K,
): readonly CatalogItems[K][] =>
  server.state.kind === 'reconnecting' ? server.offers(kind) : (server.catalog[kind] as readonly CatalogItems[K][]);

/** Which of the tools that are for models these are to get. */
export interface OfferedToModels {
  includes(server: ServerConnection, tool: Tool): boolean;
  /** The message for a model that calls a tool outside its offer. */
  refusal(server: ServerConnection, tool: Tool): string | undefined;
  readonly onDidChange: Event<void>;
}

/** The tools that clients get: none that is blocked or not offered to models; those for apps alone are among them. */
export function toolsForClients(
  server: ServerConnection,
  { pins, offered }: { readonly pins: Pick<Pins, 'blocks'>; readonly offered?: OfferedToModels },
): Tool[] {
  const isOffered = (tool: Tool) => !isFor('model', tool) || (offered?.includes(server, tool) ?? true);
  return listedFor(server, 'tools').filter(tool => isOffered(tool) && !pins.blocks(server, tool));
}

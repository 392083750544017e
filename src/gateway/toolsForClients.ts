import type { Tool } from '@modelcontextprotocol/server';
import type { Event } from '../base/events';
import type { Pins } from '../features/trust';
import type { ServerConnection } from '../host';
import { type CatalogItems, isFor } from '../host/catalog';

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

/** The services that decide on a client's tools. */
interface Deciding {
  readonly pins: Pick<Pins, 'blocks'>;
  /** Absent: all that are for models. */
  readonly offered?: OfferedToModels;
}

/**
 * The tools of a server that clients get: neither blocked ones, nor ones for models that these are not offered. Those for apps
 * alone are among them.
 */
export function toolsForClients(server: ServerConnection, { pins, offered }: Deciding): Tool[] {
  const isOffered = (tool: Tool) => !isFor('model', tool) || (offered?.includes(server, tool) ?? true);
  return listedFor(server, 'tools').filter(tool => isOffered(tool) && !pins.blocks(server, tool));
}

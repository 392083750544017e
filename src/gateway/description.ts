import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { revealedData } from '../base/modelData';
import type { Pins } from '../features/trust';
import type { ServerConnection } from '../host';

/** What the gateway says of a server in its name (spec: basic/lifecycle, server/discover). */
export interface Description {
  readonly implementation: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/**
 * What a ready server says of itself, under its configured name: one that calls itself like another takes nobody's place.
 * Undefined while it is not ready. Load the server's pins first.
 */
export function describe(server: ServerConnection, pins: Pick<Pins, 'instructions'>): Description | undefined {
  const { info } = server;
  if (!info) return undefined;
  return {
    implementation: revealedData(implementation(server.id, info.implementation)),
    capabilities: capabilities(info.capabilities),
    instructions: revealedData(pins.instructions(server)),
  };
}

/** Without a title: the editor would name the server's tools by that. */
function implementation(name: string, said: Implementation | undefined): Implementation {
  const { title: _, ...more } = said ?? { version: '0' };
  return { ...more, name };
}

/** Changes of lists are always announced: a restart may bring them, whatever the server announces itself. */
function capabilities(offered: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, completions, logging } = offered;
  return {
    ...(tools && { tools: { listChanged: true } }),
    ...(prompts && { prompts: { listChanged: true } }),
    ...(resources && { resources: { listChanged: true, ...(resources.subscribe && { subscribe: true }) } }),
    ...(completions && { completions: {} }),
    ...(logging && { logging: {} }),
  };
}

import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { revealedData } from '../base/modelData';
import type { Pins } from '../features/trust';
import type { ServerConnection } from '../host';

/** What the gateway says on behalf of a server (spec: basic/lifecycle, server/discover). */
export interface Description {
  readonly implementation: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/**
 * What a ready server says about itself, under its configured name, so that a server which calls itself like another can't
 * take its place. Undefined while it is not ready. Load the server's pins first.
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

/** Without a title, because the editor would name the server's tools after it. */
function implementation(name: string, info: Implementation | undefined): Implementation {
  const { title: _, ...more } = info ?? { version: '0' };
  return { ...more, name };
}

/**
 * Extensions that need nothing but what is passed on anyway: results, resources and their `_meta`. Those with methods of their
 * own, such as tasks, which the host follows itself, and skills, would be declared and not served.
 */
const EXTENSIONS = ['io.modelcontextprotocol/ui'];

/** The supported part of a server's capabilities. List changes are always announced, because a restart may bring some. */
function capabilities(offered: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, completions, logging, extensions = {} } = offered;
  const served = Object.entries(extensions).filter(([name]) => EXTENSIONS.includes(name));
  return {
    ...(tools && { tools: { listChanged: true } }),
    ...(prompts && { prompts: { listChanged: true } }),
    ...(resources && { resources: { listChanged: true, ...(resources.subscribe && { subscribe: true }) } }),
    ...(completions && { completions: {} }),
    ...(logging && { logging: {} }),
    ...(served.length > 0 && { extensions: Object.fromEntries(served) }),
  };
}

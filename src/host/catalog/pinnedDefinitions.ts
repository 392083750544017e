import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import { getOrInsert } from '../../base/events';

/** These come in pages, and are pinned as the pages are handed out. */
export type PinnedResource = 'resource' | 'resourceTemplate';

const definitions = new WeakMap<object, object>();

/** Everything by which a person or a model judges a tool, or that decides how the editor treats it. */
export function toolDefinition(tool: Tool): object {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, execution } = tool;
  const judged = { name, title, description, inputSchema, outputSchema, annotations, icons, execution };
  return once(tool, () => ({ ...judged, _meta: shownMeta(tool) }));
}

export function promptDefinition(prompt: Prompt): object {
  const { name, title, description, arguments: args, icons } = prompt;
  return once(prompt, () => ({ name, title, description, arguments: args, icons, _meta: shownMeta(prompt) }));
}

/** Without its size and modification time, which change with its content. */
export function resourceDefinition(kind: PinnedResource, item: unknown): { name: string; definition: object } {
  const { uri, uriTemplate, ...judged } = item as Partial<Resource & ResourceTemplateType>;
  const { name, title, description, mimeType, annotations, icons } = judged;
  const { lastModified, ...hints } = Object(annotations) as Record<string, unknown>;
  const definition = once(item as object, () => ({
    ...(kind === 'resource' ? { uri } : { uriTemplate }),
    name,
    title,
    description,
    mimeType,
    icons,
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    _meta: shownMeta(judged),
  }));
  return { name: String(kind === 'resource' ? uri : uriTemplate), definition };
}

/** The part of `_meta` that decides what a person sees: a tool's user interface, and what that can access (MCP Apps). */
function shownMeta({ _meta }: { _meta?: unknown }): object | undefined {
  const shown = Object.entries(Object(_meta)).filter(([key]) => key === 'ui' || key.startsWith('ui/'));
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
}

const earlier = new WeakMap<object, object>();

/** The part of a definition that pins of the first version covered. */
export function coveredBefore(definition: object): object {
  const { icons, execution, _meta, ...covered } = definition as Record<string, unknown>;
  return getOrInsert(earlier, definition, () => covered);
}

/** One object for each item, so that it is hashed only once. */
export const once = (item: object, make: () => object): object => getOrInsert(definitions, item, make);

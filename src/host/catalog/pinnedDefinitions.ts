import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';

/** These come in pages, and are pinned as those are given out. */
export type PinnedResource = 'resource' | 'resourceTemplate';

const definitions = new WeakMap<object, object>();

/** Everything by which a person or a model judges a tool, and by which the editor treats it. */
export function toolDefinition(tool: Tool): object {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, execution } = tool;
  const said = { name, title, description, inputSchema, outputSchema, annotations, icons, execution };
  return once(tool, () => ({ ...said, _meta: shownMeta(tool) }));
}

export function promptDefinition(prompt: Prompt): object {
  const { name, title, description, arguments: args, icons } = prompt;
  return once(prompt, () => ({ name, title, description, arguments: args, icons, _meta: shownMeta(prompt) }));
}

/** Not its size, nor when it was written last: these change with what is in it. */
export function resourceDefinition(kind: PinnedResource, item: unknown): { name: string; definition: object } {
  const { uri, uriTemplate, ...said } = item as Partial<Resource & ResourceTemplateType>;
  const { name, title, description, mimeType, annotations, icons } = said;
  const { lastModified, ...hints } = Object(annotations) as Record<string, unknown>;
  const definition = once(item as object, () => ({
    ...(kind === 'resource' ? { uri } : { uriTemplate }),
    ...{ name, title, description, mimeType, icons },
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    _meta: shownMeta(said),
  }));
  return { name: String(kind === 'resource' ? uri : uriTemplate), definition };
}

/** What of `_meta` decides what a person sees: the user interface of a tool, and what that may reach (MCP Apps). */
function shownMeta({ _meta }: { _meta?: unknown }): object | undefined {
  const shown = Object.entries(Object(_meta)).filter(([key]) => key === 'ui' || key.startsWith('ui/'));
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
}

const earlier = new WeakMap<object, object>();

/** Of a definition what pins of the first version covered. */
export function coveredBefore(definition: object): object {
  const { icons, execution, _meta, ...covered } = definition as Record<string, unknown>;
  const known = earlier.get(definition) ?? covered;
  earlier.set(definition, known);
  return known;
}

/** One object for each item, so that its hash is made once. */
export function once(item: object, make: () => object): object {
  const definition = definitions.get(item) ?? make();
  definitions.set(item, definition);
  return definition;
}

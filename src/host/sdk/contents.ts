type Part = Readonly<Record<string, unknown>>;

/** How the parts of a result are reached, by the member that lists them; each returns what it becomes. */
const LISTS: Readonly<Record<string, (part: Part) => readonly unknown[]>> = {
  // Of resources/read, tools/call and prompts/get.
  contents: halves,
  content: embedded,
  messages: message => embedded(Object(message.content)).map(content => ({ ...message, content })),
};

/**
 * A result in which resource contents with both `text` and `blob` are two, wherever they stand: the SDK would drop the blob.
 * A prompt's message, or a block of a tool's result, that embeds them becomes two as well. Any other result is returned as is.
 */
export function apart(result: unknown): unknown {
  for (const [member, split] of Object.entries(LISTS)) {
    const parts: unknown = (Object(result) as Part)[member];
    if (!Array.isArray(parts)) continue;
    const all = parts.flatMap(part => {
      const pieces = split(Object(part));
      return pieces.length > 1 ? pieces : [part];
    });
    if (all.length > parts.length) return { ...(result as object), [member]: all };
  }
  return result;
}

function embedded(block: Part): readonly unknown[] {
  return block.type === 'resource' ? halves(Object(block.resource)).map(resource => ({ ...block, resource })) : [block];
}

function halves({ text, blob, ...one }: Part): readonly unknown[] {
  if (typeof text !== 'string' || typeof blob !== 'string') return [one];
  return [
    { ...one, text },
    { ...one, blob },
  ];
}

import type { alikePairs as compared } from '../../../../features/lint/core/alikePairs';

/** In a web window, whose program is full, tools are compared by name only. */
export const alikePairs: typeof compared = tools => {
  const folded = tools.slice(0, 300).map(({ name, inputSchema: { required = [] } }) => ({
    name,
    of: name.toLowerCase().replace(/[_.-]/g, '').replace(/s$/, ''),
    required: `${[...required].sort()}`,
  }));
  return folded.flatMap(({ name, of, required }, index) =>
    folded
      .slice(index + 1)
      .filter(other => other.of === of && other.required === required)
      .map(other => ({ one: name, other: other.name, by: 'name' as const })),
  );
};

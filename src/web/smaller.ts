// In place of: features/lint/core/alikePairs, features/chat/core/toolDeclarations, features/tools/core/pattern

import type { declarationOf as declared, functionNames as named } from '../features/chat/core/toolDeclarations';
import type { alikePairs as compared } from '../features/lint/core/alikePairs';

/*
 * What a web window, whose program is full and whose worker cannot be interrupted, does more simply.
 */

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

/** Declarations are for scripts, which do not run in web windows. */
export const declarationOf: typeof declared = () => '';
export const functionNames: typeof named = () => new Map();

/** A worker can't stop an expression of a server that takes for ever, so that none is run: the server decides. */
export const matches = (): boolean => true;

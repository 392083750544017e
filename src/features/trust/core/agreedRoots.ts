import { isWithin } from '../../../base/filePlace';
import type { ServerEntry } from '../../../host/settings';

/** Stands for the folders of the workspace, whichever they are. */
export const WORKSPACE_ROOTS = '*';

/** The roots that an entry wants its server to be told of: paths, or `WORKSPACE_ROOTS`. */
export function wantedRoots({ roots = 'workspace' }: Pick<ServerEntry, 'roots'>): readonly string[] {
  return roots === 'workspace' ? [WORKSPACE_ROOTS] : roots === 'none' ? [] : roots;
}

/**
 * Those of the wanted roots that a person has not agreed to. What is below an agreed root is agreed to, and so is everything
 * if the folders of the workspace are: nothing outside of these is ever told.
 * @param agreed as it was stored, which may be anything.
 */
export function rootsBeyond(agreed: unknown, wanted: readonly string[]): readonly string[] {
  const known: readonly unknown[] = Array.isArray(agreed) ? agreed : [];
  if (known.includes(WORKSPACE_ROOTS)) return [];
  return wanted.filter(
    root => root === WORKSPACE_ROOTS || !known.some(one => typeof one === 'string' && isWithin(one, root)),
  );
}

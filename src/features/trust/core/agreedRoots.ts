import { isWithin } from '../../../base/filePlace';
import type { ServerEntry } from '../../../host/settings';

/** Stands for all folders of the workspace. */
export const WORKSPACE_ROOTS = '*';

/** The roots that an entry wants to share with its server: paths, or `WORKSPACE_ROOTS`. */
export function wantedRoots({ roots = 'workspace' }: Pick<ServerEntry, 'roots'>): readonly string[] {
  return roots === 'workspace' ? [WORKSPACE_ROOTS] : roots === 'none' ? [] : roots;
}

/**
 * The wanted roots that the person has not agreed to. Agreeing to a root includes everything below it; agreeing to the
 * workspace folders includes all roots, because nothing outside them is ever shared.
 * @param agreed as stored, unchecked.
 */
export function rootsBeyond(agreed: unknown, wanted: readonly string[]): readonly string[] {
  const known: readonly unknown[] = Array.isArray(agreed) ? agreed : [];
  if (known.includes(WORKSPACE_ROOTS)) return [];
  return wanted.filter(
    root => root === WORKSPACE_ROOTS || !known.some(one => typeof one === 'string' && isWithin(one, root)),
  );
}

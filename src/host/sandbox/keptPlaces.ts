import { join } from 'node:path';
import { realPlace } from '../../base/filePlace';
import { visible } from '../../base/text';
import { KEPT_FILES, KEPT_FOLDERS, KEPT_IN_GIT } from './knownPlaces';
import { entriesOf, kindOf, linkKind, type SandboxPlace } from './onDisk';

/** So many entries of a writable folder are looked at for folders that stay as they are. */
const MAX_CHILDREN = 500;

/**
 * What must stay as it is in a writable folder: what the editor, git or other programs would run or obey.
 * @param isMounted rules are kept by mounts, which can't be put on links
 */
export function keptIn(
  folder: string,
  writable: ReadonlySet<string>,
  isMounted: boolean,
  notes: string[],
): SandboxPlace[] {
  if (kindOf(folder) !== 'folder') return [];
  const children = entriesOf(folder).slice(0, MAX_CHILDREN);
  const isGit = folder.endsWith('/.git');
  const always = isGit ? ['hooks'] : KEPT_FOLDERS;
  const there = [
    ...(isGit ? KEPT_IN_GIT : KEPT_FILES),
    ...children.filter(name => name.endsWith('.code-workspace')),
    ...children.flatMap(name => KEPT_FOLDERS.map(kept => `${name}/${kept}`)),
  ];
  const kept = (name: string, isAlways: boolean): SandboxPlace[] => {
    const path = join(folder, name);
    if (writable.has(path)) return [];
    const kind = linkKind(path);
    if (kind === 'link') {
      if (isMounted) notes.push(`${visible(path)} is a link, which can't be kept from being replaced`);
      const [real, target] = [realPlace(path), kindOf(path)];
      return [
        ...(isMounted ? [] : [{ path, isFolder: false, access: 'read' as const }]),
        ...(real && target ? [{ path: real, isFolder: target === 'folder', access: 'read' as const }] : []),
      ];
    }
    // One that is empty may have been left by us.
    if (kind && !(isAlways && kind === 'folder' && entriesOf(path).length === 0)) {
      // As it is written on the disk, which may not tell capital letters from small ones.
      return [{ path: realPlace(path) ?? path, isFolder: kind === 'folder', access: 'read' }];
    }
    return isAlways ? [{ path, isFolder: true, access: 'read', isMissing: true }] : [];
  };
  return [...always.flatMap(name => kept(name, true)), ...there.flatMap(name => kept(name, false))];
}

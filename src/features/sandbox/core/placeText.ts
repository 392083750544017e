import { basename, relative } from 'node:path';
import { isWithin } from '../../../base/filePlace';

/** What a person knows folders by. */
export interface KnownFolders {
  /** Folders of the workspace. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** A folder within its workspace folder or the home folder, as `src/` or `~/notes/`. */
export function folderText(folder: string, { folders, home }: KnownFolders): string {
  const root = folders.find(known => isWithin(known, folder));
  const [base, from] = root === undefined ? ['~', home] : [basename(root), root];
  if (root === undefined && !isWithin(home, folder)) return `${folder}/`;
  const rest = relative(from, folder).replaceAll('\\', '/');
  if (rest === '') return `${base}/`;
  return root === undefined || folders.length > 1 ? `${base}/${rest}/` : `${rest}/`;
}

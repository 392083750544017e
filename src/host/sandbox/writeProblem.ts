import { join } from 'node:path';
import { isWithin } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { KEPT_IN_GIT, RUN_BY_ITSELF, SYSTEM_PLACES } from './knownPlaces';

/** Why a place can't be made writable, whatever the entry says. */
export function writeProblem(
  path: string,
  home: string,
  platform = process.platform,
): ((name: string) => Phrase) | undefined {
  // The usual disks of macOS don't tell capital letters from small ones.
  if (platform === 'darwin' && (path !== path.toLowerCase() || home !== home.toLowerCase())) {
    return writeProblem(path.toLowerCase(), home.toLowerCase(), platform);
  }
  const inHome = isWithin(home, path) && path !== home;
  if (isWithin(path, home)) {
    return name => phrase('{0} has all of your home folder in it. Name the folders that it may change.', name);
  }
  const clashes = (place: string) => isWithin(path, place) || isWithin(place, path);
  const system = inHome ? [] : SYSTEM_PLACES;
  const own = [...RUN_BY_ITSELF.map(place => join(home, place)), ...system];
  const found = (platform === 'darwin' ? own.map(place => place.toLowerCase()) : own).find(clashes);
  const parts = path.split('/');
  const git = parts.indexOf('.git');
  const isKept = parts.includes('.vscode') || (git >= 0 && KEPT_IN_GIT.includes(parts[git + 1] ?? ''));
  if (!found && !isKept) return undefined;
  return name =>
    phrase(
      '{0} cannot be made writable, because what is in {1} runs, or decides what runs.',
      name,
      visible(found ?? path, 200),
    );
}

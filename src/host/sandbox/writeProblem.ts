import { join } from 'node:path';
import { isWithin } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { APP_DATA, PROGRAM_FOLDERS, RUN_BY_ITSELF, SYSTEM_PLACES } from './knownPlaces';
import { isClosed, KEPT_IN_GIT } from './obeyedNames';

/** Of it, only temporary folders belong to nobody else. */
const VAR = /^((?:\/private)?\/var)(?!\/(tmp|folders)(\/|$))/;

/**
 * Why a place can never be made writable, or undefined. Most dot files in the home folder are obeyed by shells, editors and
 * other programs, so among them only data folders are allowed.
 */
export function writeProblem(
  path: string,
  home: string,
  platform = process.platform,
): ((name: string) => Phrase) | undefined {
  // The usual disks of macOS ignore case.
  const isFolded = platform === 'darwin';
  if (isFolded && (path !== path.toLowerCase() || home !== home.toLowerCase())) {
    return writeProblem(path.toLowerCase(), home.toLowerCase(), platform);
  }
  if (isWithin(path, home)) {
    return name => phrase('{0} contains your whole home folder. Name the folders that it may change instead.', name);
  }
  const folded = (places: readonly string[]) => (isFolded ? places.map(place => place.toLowerCase()) : places);
  const clashes = (place: string) => isWithin(path, place) || isWithin(place, path);
  const inHome = isWithin(home, path);
  const known = inHome ? folded(RUN_BY_ITSELF).map(place => join(home, place)) : folded(SYSTEM_PLACES);
  const found = known.find(clashes) ?? (inHome ? settingsOf(path, home, folded(APP_DATA)) : VAR.exec(path)?.[1]);
  const parts = path.split('/');
  const git = parts.indexOf('.git');
  const isKept =
    parts.some(part => part !== '.git' && (isClosed(part, isFolded) || folded(PROGRAM_FOLDERS).includes(part))) ||
    (git >= 0 && KEPT_IN_GIT.includes(parts[git + 1] ?? ''));
  if (!found && !isKept) return undefined;
  return name =>
    phrase(
      '{0} cannot be made writable, because files in {1} are run or decide what is run.',
      name,
      visible(found ?? path, 200),
    );
}

/** The part of a path in the home folder that makes it count as program settings. Undefined: it is data. */
function settingsOf(path: string, home: string, data: readonly string[]): string | undefined {
  const [first = ''] = path.slice(home.length).split('/').filter(Boolean);
  const isData = data.some(place => isWithin(join(home, place), path) && path !== join(home, place));
  return isData || !(first.startsWith('.') || /^library$/i.test(first)) ? undefined : join(home, first);
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { SECRET_PLACES } from './knownPlaces';

/** Whether a path is, or lies in, a place of the home folder where secrets are kept. @param path a real one. */
export const isSecretPlace = (path: string, home = homedir()): boolean =>
  SECRET_PLACES.some(place => isWithin(realPlace(join(home, place)) ?? join(home, place), path));

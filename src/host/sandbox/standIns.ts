import { mkdirSync, rmdirSync } from 'node:fs';
import type { SandboxPolicy } from './sandboxPolicy';

/** How many programs use each placeholder folder. */
const standIns = new Map<string, number>();

/**
 * Creates placeholder folders where nothing may be created while a program is confined. Returns a function that removes them
 * after the last program that needs them.
 * @param makes whether they are created here, because the engine doesn't.
 */
export function standIn({ places }: Pick<SandboxPolicy, 'places'>, makes = false): () => void {
  const made = places.filter(({ isMissing }) => isMissing).map(({ path }) => path);
  for (const place of made) {
    standIns.set(place, (standIns.get(place) ?? 0) + 1);
    if (makes) make(place);
  }
  return () => {
    for (const place of made) leave(place);
  };
}

function make(place: string): void {
  try {
    mkdirSync(place);
  } catch {
    // If it can't be created here, it can't be in the sandbox either.
  }
}

/** Removes a placeholder, unless it is no longer empty. */
function leave(place: string): void {
  const count = (standIns.get(place) ?? 1) - 1;
  if (count > 0) {
    standIns.set(place, count);
    return;
  }
  standIns.delete(place);
  try {
    rmdirSync(place);
  } catch {
    // It is in use, or was never created.
  }
}

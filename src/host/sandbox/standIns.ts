import { mkdirSync, rmdirSync } from 'node:fs';
import type { SandboxPolicy } from './sandboxPolicy';

/** How many programs have a folder that stands where nothing is. */
const standIns = new Map<string, number>();

/**
 * Folders stand where nothing may come to be while a program is confined. Gives what removes them, with the last program that
 * needs them.
 * @param makes they are made here, as the engine doesn't.
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
    // Who may not make it here may not in the sandbox.
  }
}

/** Others may have put something into it. */
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
    // It is in use by now, or was never made.
  }
}

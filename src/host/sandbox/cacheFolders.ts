import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Cache folders that have not been used for this long are removed: their server may have changed or be gone. */
const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** Creates the cache folder of a confined server, and removes long unused ones beside it. */
export function openCaches(folder: string, now = Date.now()): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  utimesSync(folder, now / 1000, now / 1000);
  const storage = dirname(folder);
  for (const name of readdirSync(storage)) {
    const other = join(storage, name);
    if (other !== folder && lastUsed(other) < now - KEPT_MS) void rm(other, { recursive: true }).catch(() => {});
  }
}

function lastUsed(folder: string): number {
  try {
    return statSync(folder).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY; // another window has removed it
  }
}

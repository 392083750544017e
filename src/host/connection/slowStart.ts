import { isPackageProgram } from '../launch/installedProgram';
import type { ServerEntry } from '../settings';
import type { ConnectionOptions } from './connectionOptions';

const DEFAULT_SLOW_START_MS = 10_000;

/** The program of the entry, when it may be downloading. */
export function downloaderOf(entry: ServerEntry | undefined): string | undefined {
  const program = entry?.type === 'stdio' ? entry.command.split(/[\\/]/).at(-1) : undefined;
  return program !== undefined && isPackageProgram(program) ? program : undefined;
}

/** The log line for a slow start: what may take the time, and when it ends. */
function slowStartNote(entry: ServerEntry, afterMs: number): string {
  const downloader = downloaderOf(entry);
  const why = downloader
    ? `a first "${downloader}" downloads what it runs`
    : entry.type === 'stdio'
      ? 'its program has not answered yet'
      : 'its address has not answered yet';
  const limit = `"timeouts": { "startMs": ${entry.timeouts.startMs} } in its settings entry ends the start after ${entry.timeouts.startMs / 1_000} s`;
  return `still starting after ${afterMs / 1_000} s: ${why}; ${limit}`;
}

/**
 * Waits until a start counts as slow.
 * @param slow is then called with a line for the log, unless the entry allows a start less time than that.
 * @returns the timer: clear it when the start is over.
 */
export function whenSlow(
  entry: ServerEntry,
  { slowStartMs = DEFAULT_SLOW_START_MS }: ConnectionOptions,
  slow: (note: string) => void,
): NodeJS.Timeout | undefined {
  if (slowStartMs >= entry.timeouts.startMs) return;
  return setTimeout(() => slow(slowStartNote(entry, slowStartMs)), slowStartMs);
}

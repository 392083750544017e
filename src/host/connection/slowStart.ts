import { isPackageProgram } from '../launch/packageRunner';
import type { ServerEntry } from '../settings';

/** The program of the entry, when it may be downloading. */
export function downloaderOf(entry: ServerEntry | undefined): string | undefined {
  const program = entry?.type === 'stdio' ? entry.command.split(/[\\/]/).at(-1) : undefined;
  return program !== undefined && isPackageProgram(program) ? program : undefined;
}

/** The log line for a slow start: what may take the time, and when it ends. */
export function slowStartNote(entry: ServerEntry, afterMs: number): string {
  const downloader = downloaderOf(entry);
  const why = downloader
    ? `a first "${downloader}" downloads what it runs`
    : entry.type === 'stdio'
      ? 'its program has not answered yet'
      : 'its address has not answered yet';
  const limit = `"timeouts": { "startMs": ${entry.timeouts.startMs} } in its settings entry ends the start after ${entry.timeouts.startMs / 1_000} s`;
  return `still starting after ${afterMs / 1_000} s: ${why}; ${limit}`;
}

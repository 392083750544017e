// What a run of mocha leaves in a file for the program that started it.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Lines that the editor suite prints begin with this: an extension host prints much that is of no interest. */
export const suiteLine = '[mocha] ';

export interface Report {
  passes: number;
  failures: number;
  /** True when the run reached its end. A process that died leaves false. */
  finished: boolean;
  /** The test that is running, or was when the process died. */
  running?: string;
  /** How many tests were left out, by reason. */
  leftOut?: Record<string, number>;
}

/** Replaces the file in one step, so that a reader never sees half of it. */
export function writeReport(file: string, report: Report): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.new`, JSON.stringify(report));
  fs.renameSync(`${file}.new`, file);
}

/** The report, or undefined when nothing was written. */
export function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

// What a run of mocha leaves in a file for the program that started it.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Lines that the editor suite prints begin with this: an extension host prints much that is of no interest. */
export const suiteLine = '[mocha] ';

export interface Report {
  passes: number;
  failures: number;
  /** Title and message of each test or hook that failed, for the end of the run. */
  failed: string[];
  /** True when the run reached its end. A process that died leaves false. */
  finished: boolean;
  /** The test that is running, or was when the process died. */
  running?: string;
  /** The source of its file, or of the last that began. */
  file?: string;
  /** What went wrong besides. */
  problem?: string;
  /** How long each file took, in milliseconds; the keys are sources, from the root. */
  took: Record<string, number>;
  /** How many tests were left out, by reason. */
  leftOut?: Record<string, number>;
}

export const emptyReport = (): Report => ({ passes: 0, failures: 0, failed: [], finished: false, took: {} });

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

/** Appends to the file `SUMMARY_FILE`, if there is one: who starts several programs shows all their summaries at the end. */
export function keepSummary(text: string): void {
  const file = process.env.SUMMARY_FILE;
  if (file) fs.appendFileSync(file, `${text}\n\n`);
}

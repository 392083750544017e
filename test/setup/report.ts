// What a run of mocha leaves in a file for the program that started it.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** A test or hook that failed, or a process that did. */
export interface Failure {
  title: string;
  message: string;
  /** With the stack. */
  details: string;
}

/** What came of a test file. */
export interface FileReport {
  passes: number;
  failures: Failure[];
  /** Titles of tests that were left out. */
  leftOut: string[];
  ms: number;
  /** Milliseconds of a processor, and those that went into the start of windows and into waiting (spent.ts). */
  workMs: number;
  windowMs: number;
  waitingMs: number;
  windows: number;
}

/** The report of a file of which nothing ran. */
export const nothingRan = (): FileReport => ({
  ...{ passes: 0, failures: [], leftOut: [], ms: 0 },
  ...{ windows: 0, workMs: 0, windowMs: 0, waitingMs: 0 },
});

export interface Report {
  /** By source, in the order in which they ran. The last one may have been cut off. */
  files: Record<string, FileReport>;
  /** Source and title of the test that is running, or was when the process died. */
  running?: { file: string; title: string };
  /** True when the run reached its end. */
  finished: boolean;
}

/** Replaces the file in one step, so that a reader never sees half of it. */
export function writeReport(file: string, report: Report): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.new`, JSON.stringify(report));
  fs.renameSync(`${file}.new`, file);
}

/** The report; an empty one when nothing was written. */
export function readReport(file: string): Report {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Report;
  } catch {
    return { files: {}, finished: false };
  }
}

/** Appends to the file `SUMMARY_FILE`, if there is one: who starts several programs shows all their summaries at the end. */
export function keepSummary(text: string): void {
  const file = process.env.SUMMARY_FILE;
  if (file) fs.appendFileSync(file, `${text}\n\n`);
}

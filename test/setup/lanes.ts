// Several processes with tests at once. What a process prints is shown when it ends, so that it stands together.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, sourceOf, temporaryFolder } from './paths';
import { atExit, killGroup, spawnGroup } from './processes';
import { emptyReport, readReport, writeReport } from './report';
import type { Times } from './times';

/** Test files for one process. */
export interface Portion {
  /** Program and arguments, under out/setup/. It runs the files of `TEST_FILES` and writes the report `TEST_REPORT`. */
  program: [string, ...string[]];
  files: readonly string[];
  report: string;
  timeoutMs: number;
}

/** Runs portions in their order, so many at once. @returns how long the files took that ran. */
export async function runInLanes(portions: readonly Portion[], atOnce: number): Promise<Times> {
  const waiting = [...portions];
  const times: Times = {};
  const work = async () => {
    for (let portion = waiting.shift(); portion; portion = waiting.shift())
      Object.assign(times, await runPortion(portion));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}

/** The process has temporary folders of its own. A bad end that no failed test explains becomes a problem in its report. */
async function runPortion({ program: [script, ...args], files, report, timeoutMs }: Portion): Promise<Times> {
  const folder = temporaryFolder();
  const temporary = path.join(folder, 't');
  fs.mkdirSync(temporary);
  const printed = path.join(folder, 'printed');
  const output = fs.openSync(printed, 'a');
  const show = () => {
    fs.writeSync(1, fs.readFileSync(printed));
    remove(folder);
  };
  const cancelShow = atExit(show);
  const child = spawnGroup(process.execPath, [inRepository('out/setup', script), ...args], {
    env: {
      ...process.env,
      TEST_FILES: JSON.stringify(files),
      TEST_REPORT: report,
      ...Object.fromEntries(['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'].map(name => [name, temporary])),
    },
    stdio: ['ignore', output, output],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child);
  }, timeoutMs);
  const code = await new Promise<number | string>(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal ?? 1));
  });
  clearTimeout(timer);
  killGroup(child); // nothing that the tests started may stay
  fs.closeSync(output);
  cancelShow();
  show();
  if (code !== 0) process.exitCode = 1;

  const state = readReport(report);
  if (state?.finished && (code === 0 || (code === 1 && state.failures > 0))) return state.took;
  const why = late
    ? `took longer than ${timeoutMs / 60_000} minutes`
    : code === 3
      ? 'stayed alive after the last test'
      : `ended with ${code}`;
  const during = state?.running ? ` in "${state.running}"` : '';
  const problem = `the process of ${files.map(sourceOf).join(', ')} ${why}${during}`;
  writeReport(report, { ...(state ?? emptyReport()), finished: true, running: undefined, problem });
  return {};
}

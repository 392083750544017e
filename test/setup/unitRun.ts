// The unit layer: its files in several processes at once, the longest first. What a process prints comes when it ends.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { inRepository, remove, sourceOf, temporaryFolder, testFiles } from './paths';
import { portions } from './portions';
import { atExit, endWithStarter, killGroup, spawnGroup } from './processes';
import { emptyReport, readReport, writeReport } from './report';
import { expectedMs, rememberTimes, type Times } from './times';

/** For the files of one process. */
const timeoutMs = 8 * 60_000;

/** Runs test files in a process of their own, with temporary folders of their own. @returns how long each of them took. */
async function runPortion(files: string[], report: string): Promise<Times> {
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
  const child = spawnGroup(process.execPath, [inRepository('out/setup/mochaChild.js'), 'unit'], {
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

async function main(): Promise<void> {
  const reports = process.env.TEST_REPORTS ?? inRepository('artifacts/unit');
  const { MOCHA_GREP, TEST_PROCESSES } = process.env;
  const atOnce = Number(TEST_PROCESSES) || os.availableParallelism();
  const msOf = expectedMs();
  const files = testFiles(inRepository('out/unit'));
  const waiting = portions(files, file => msOf(sourceOf(file)), MOCHA_GREP ? atOnce : undefined);
  const times: Times = {};
  let started = 0;
  const work = async () => {
    for (let portion = waiting.shift(); portion; portion = waiting.shift())
      Object.assign(times, await runPortion(portion, path.join(reports, `unit-${++started}.json`)));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (!MOCHA_GREP) rememberTimes(times);
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});

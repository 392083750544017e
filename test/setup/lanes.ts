// Several processes with tests at once, of all layers: while one waits for its editor, others use the processor. What a
// process prints is shown when it ends, so that it stands together.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, sourceOf, temporaryFolder } from './paths';
import { atExit, killGroup, spawnGroup, stopGroup } from './processes';
import { emptyReport, readReport, writeReport } from './report';
import type { Times } from './times';

/** Test files for one process. */
export interface Portion {
  /** So many portions with this name run at once at most. */
  layer: string;
  most: number;
  /** Program and arguments, under out/setup/. It runs the files of `TEST_FILES` and writes the report `TEST_REPORT`. */
  program: [string, ...string[]];
  files: readonly string[];
  report: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  /** Takes what the process printed. */
  print: (text: string) => void;
}

/** How long the processes of a layer took, one after the other, in milliseconds. */
export type Work = Record<string, number>;

/**
 * Runs portions in their order, so many at once; one whose layer has as many as it may lets others go first.
 * @param signal ends it early. @returns how long the files took that ran, and the layers.
 */
export async function runInLanes(portions: readonly Portion[], atOnce: number, signal: AbortSignal) {
  const waiting = [...portions];
  const running = new Map<Promise<void>, string>();
  const times: Times = {};
  const work: Work = {};
  const run = async (portion: Portion) => {
    const started = performance.now();
    Object.assign(times, await runPortion(portion, signal));
    work[portion.layer] = (work[portion.layer] ?? 0) + performance.now() - started;
  };
  const mayRun = ({ layer, most }: Portion) => [...running.values()].filter(other => other === layer).length < most;
  for (;;) {
    const next = running.size < atOnce && !signal.aborted ? waiting.findIndex(mayRun) : -1;
    const portion = waiting[next];
    if (portion) {
      waiting.splice(next, 1);
      const ended = run(portion).finally(() => running.delete(ended));
      running.set(ended, portion.layer);
    } else if (running.size > 0) await Promise.race(running.keys());
    else return { times, work };
  }
}

/** The process has temporary folders of its own. A bad end that no failed test explains becomes a problem in its report. */
async function runPortion(portion: Portion, signal: AbortSignal): Promise<Times> {
  const { files, report, timeoutMs, env, print } = portion;
  const [script, ...args] = portion.program;
  const folder = temporaryFolder();
  const temporary = path.join(folder, 't');
  fs.mkdirSync(temporary);
  const printed = path.join(folder, 'printed');
  const output = fs.openSync(printed, 'a');
  const show = () => {
    print(fs.readFileSync(printed, 'utf8'));
    remove(folder);
  };
  const cancelShow = atExit(show);
  const child = spawnGroup(process.execPath, [inRepository('out/setup', script), ...args], {
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
      ...env,
      TEST_FILES: JSON.stringify(files),
      TEST_REPORT: report,
      ...Object.fromEntries(['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'].map(name => [name, temporary])),
    },
    stdio: ['ignore', output, output],
  });
  let ended: string | undefined;
  const end = (reason: string) => {
    ended ??= reason;
    void stopGroup(child, 10_000); // asked to end, it removes its windows and their folders itself
  };
  const stop = () => end('was stopped');
  signal.addEventListener('abort', stop);
  const timer = setTimeout(() => end(`took longer than ${timeoutMs / 60_000} minutes`), timeoutMs);
  const code = await new Promise<number | string>(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', (exitCode, exitSignal) => resolve(exitCode ?? exitSignal ?? 1));
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  killGroup(child); // nothing that the tests started may stay
  fs.closeSync(output);
  cancelShow();
  show();

  const state = readReport(report);
  if (state?.finished && (code === 0 || (code === 1 && state.failures > 0))) return state.took;
  const why = ended ?? (code === 3 ? 'stayed alive after the last test' : `ended with ${code}`);
  const during = state?.running ? ` in "${state.running}"` : '';
  const problem = `the process of ${files.map(sourceOf).join(', ')} ${why}${during}`;
  writeReport(report, { ...(state ?? emptyReport()), finished: true, running: undefined, problem });
  return {};
}

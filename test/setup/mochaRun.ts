// Runs test files with mocha, in this process, and writes a report while it does. The same for every layer.
import { format } from 'node:util';
import { sourceOf } from './paths';
import { patience } from './patience';
import { emptyReport, type Report, writeReport } from './report';

export interface MochaRunOptions {
  files: string[];
  /** For one test or hook that sets none itself. */
  timeoutMs: number;
  /** Whether `TEST_PATIENCE` makes the limits of tests longer too, so that the waits in them end first, and say what for. */
  isPatient?: boolean;
  /** The file for the report; default: none. */
  report?: string;
  /** Takes the reporter's lines; default: the console. */
  print?: (line: string) => void;
  /** Called after each failed test or hook, while what it used is still open. */
  onFailure?: (title: string) => Promise<void>;
}

/** Gives each test and hook so many times its limit as things may take here, also where it sets one itself. */
export function takeYourTime({ Runnable }: typeof Mocha): void {
  const { timeout } = Runnable.prototype;
  Runnable.prototype.timeout = function (this: Mocha.Runnable, ms?: number | string) {
    return Reflect.apply(timeout, this, typeof ms === 'number' ? [ms * patience()] : []);
  } as typeof timeout;
}

/** `MOCHA_GREP` narrows the run to tests whose full title matches. */
export async function runMocha(options: MochaRunOptions): Promise<Report> {
  const { files, timeoutMs, isPatient = false, report, print, onFailure } = options;
  const { default: Mocha } = await import('mocha'); // an ES module, which a desktop extension host can only load this way
  if (isPatient) takeYourTime(Mocha);
  if (print) {
    Mocha.reporters.Base.consoleLog = (...args: unknown[]) => {
      for (const line of format(...args).split('\n')) print(line);
    };
  }
  const mocha = new Mocha({
    ui: 'bdd',
    reporter: 'spec',
    timeout: timeoutMs,
    grep: process.env.MOCHA_GREP,
    forbidOnly: true,
    color: process.env.FORCE_COLOR === '1',
    rootHooks: {
      async afterEach(this: Mocha.Context) {
        const { currentTest: test } = this;
        if (test?.state === 'failed') await onFailure?.(test.fullTitle());
      },
    },
  });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();

  const state = emptyReport();
  const save = (change: Partial<Report>) => {
    Object.assign(state, change);
    if (report) writeReport(report, state);
  };
  save({});
  return new Promise(resolve => {
    const runner = mocha.run(failures => {
      save({ failures, finished: true, running: undefined });
      mocha.dispose(); // it listens to the process, and another run may follow
      resolve(state);
    });
    // For a test, the hook above has saved it already, and mocha waited.
    runner.on('fail', (failed: Mocha.Test | Mocha.Hook) => {
      if (failed.type === 'hook') void onFailure?.(failed.fullTitle());
    });
    runner.on('test', test => save({ running: test.fullTitle() }));
    runner.on('pass', () => save({ passes: state.passes + 1 }));
    runner.on('fail', (test, error) => {
      const line = `${test.fullTitle()}: ${String(error?.message ?? error).split('\n', 1)[0]}`;
      save({ failures: state.failures + 1, failed: [...state.failed, line] });
    });
    const started = new Map<Mocha.Suite, number>();
    runner.on('suite', suite => {
      started.set(suite, performance.now());
      if (suite.parent?.root && suite.file) save({ file: sourceOf(suite.file) });
    });
    runner.on('suite end', suite => {
      if (!suite.parent?.root || !suite.file) return;
      const source = sourceOf(suite.file);
      const ms = performance.now() - (started.get(suite) ?? 0);
      state.took[source] = Math.round((state.took[source] ?? 0) + ms);
    });
    runner.on('pending', test => {
      const reason = /\[(since [^\]]+)\]/.exec(test.fullTitle())?.[1] ?? `not here: ${test.fullTitle()}`;
      save({ leftOut: { ...state.leftOut, [reason]: (state.leftOut?.[reason] ?? 0) + 1 } });
    });
  });
}

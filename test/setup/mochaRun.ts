// Runs test files with mocha, in this process, and writes a report while it does. The same for every layer.
import { format } from 'node:util';
import { type Report, writeReport } from './report';

export interface MochaRunOptions {
  files: string[];
  /** For one test or hook that sets none itself. */
  timeoutMs: number;
  /** The file for the report; default: none. */
  report?: string;
  /** Takes the reporter's lines; default: the console. */
  print?: (line: string) => void;
  /** Called after each failed test, while what it used is still open. */
  onFailure?: (title: string) => Promise<void>;
}

/** `MOCHA_GREP` narrows the run to tests whose full title matches. */
export async function runMocha({ files, timeoutMs, report, print, onFailure }: MochaRunOptions): Promise<Report> {
  const { default: Mocha } = await import('mocha'); // an ES module, which a desktop extension host can only load this way
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

  const state: Report = { passes: 0, failures: 0, finished: false };
  const save = (change: Partial<Report>) => {
    Object.assign(state, change);
    if (report) writeReport(report, state);
  };
  save({});
  return new Promise(resolve => {
    const runner = mocha.run(failures => {
      save({ failures, finished: true, running: undefined });
      resolve(state);
    });
    runner.on('test', test => save({ running: test.fullTitle() }));
    runner.on('pass', () => save({ passes: state.passes + 1 }));
    runner.on('pending', test => {
      const reason = /\[(since [^\]]+)\]/.exec(test.fullTitle())?.[1] ?? `not here: ${test.fullTitle()}`;
      save({ leftOut: { ...state.leftOut, [reason]: (state.leftOut?.[reason] ?? 0) + 1 } });
    });
    runner.on('fail', () => save({ failures: state.failures + 1 }));
  });
}

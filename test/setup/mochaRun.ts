// Runs test files with mocha, in this process, and writes a report while it does. The same for every layer.
import { format } from 'node:util';
import { sourceOf } from './paths';
import { patience } from './patience';
import { type FileReport, nothingRan, type Report, writeReport } from './report';
import { processorMs, spent } from './spent';

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

/**
 * Gives up a window after two failures in a row: the remaining tests of the `describe` that opened it fail at once, instead of
 * waiting in a window that is broken. @returns the title of the test that broke the window, for a test that was not run because of it.
 */
function giveUpWindows(runner: Mocha.Runner): (test: Mocha.Test) => string | undefined {
  /** Those that have opened a window in `before`. */
  const owners = new Set<Mocha.Suite>();
  const leftBy = new Map<Mocha.Test, string>();
  let windows = 0;
  let failed: { title: string; owner: Mocha.Suite } | undefined;
  runner.on('hook', () => {
    ({ windows } = spent);
  });
  runner.on('hook end', hook => {
    if (spent.windows > windows && hook.title.startsWith('"before all"')) owners.add(hook.parent!);
  });
  runner.on('pass', () => {
    failed = undefined;
  });
  runner.on('fail', (failing: Mocha.Test | Mocha.Hook) => {
    if (failing.type === 'hook') return;
    const around: Mocha.Suite[] = [];
    for (let suite = failing.parent; suite; suite = suite.parent) around.push(suite);
    const owner = around.find(suite => owners.has(suite));
    const leaveOut = (suite: Mocha.Suite, by: string) => {
      for (const test of suite.tests) {
        if (test.state || test.isPending()) continue;
        test.pending = true;
        leftBy.set(test, by);
      }
      for (const inner of suite.suites) {
        leaveOut(inner, by);
        if (!around.includes(inner)) inner.pending = true; // without its hooks
      }
    };
    if (owner && failed?.owner === owner) leaveOut(owner, failed.title);
    else failed = owner && { title: failing.title, owner };
  });
  return test => leftBy.get(test);
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
  const settings = {
    ui: 'bdd' as const,
    reporter: 'spec',
    timeout: timeoutMs,
    grep: process.env.MOCHA_GREP,
    forbidOnly: true,
    color: process.env.FORCE_COLOR === '1',
    failHookAffectedTests: true, // each test that a hook kept from running
    rootHooks: {
      async afterEach(this: Mocha.Context) {
        const { currentTest: test } = this;
        if (test?.state === 'failed') await onFailure?.(test.fullTitle());
      },
    },
  };
  const mocha = new Mocha(settings);
  const now = () => ({ ...spent, workMs: processorMs(), at: performance.now() });
  let began = now();
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();

  const state: Report = { files: {}, finished: false };
  let last = sourceOf(files[0] ?? '');
  /** The report of the file that something is in. */
  const of = ({ file }: { file?: string }): FileReport => {
    const source = file ? sourceOf(file) : last;
    if (source !== last) began = now();
    last = source;
    state.files[source] ??= nothingRan();
    return Object.assign(state.files[source], {
      ms: Math.round(performance.now() - began.at),
      windows: spent.windows - began.windows,
      windowMs: Math.round(spent.windowMs - began.windowMs),
      waitingMs: Math.round(spent.waitingMs - began.waitingMs),
    });
  };
  const save = () => report && writeReport(report, state);
  return new Promise(resolve => {
    const runner = mocha.run(() => {
      for (const file of files) state.files[sourceOf(file)] ??= nothingRan();
      Object.assign(state, { finished: true, running: undefined });
      save();
      mocha.dispose(); // it listens to the process, and another run may follow
      resolve(state);
    });
    const leftBy = giveUpWindows(runner);
    runner.on('suite', suite => suite.file && of(suite));
    runner.on('suite end', suite => {
      if (suite.file && suite.parent?.root) of(suite).workMs = Math.round(processorMs() - began.workMs);
    });
    runner.on('test', test => {
      of(test);
      state.running = { file: last, title: test.fullTitle() };
      save();
    });
    // Kept with the next test, or at the end: twice as many files would take seconds of a run.
    runner.on('pass', test => void of(test).passes++);
    runner.on('pending', test => {
      const [title, by] = [test.fullTitle(), leftBy(test)];
      if (by === undefined) return void of(test).leftOut.push(title);
      const message = `not run: the window was left by "${by}"`;
      of(test).failures.push({ title, message, details: message });
    });
    runner.on('fail', (failed: Mocha.Test | Mocha.Hook, error) => {
      // For a test, the hook above has saved it already, and mocha waited.
      if (failed.type === 'hook') void onFailure?.(failed.fullTitle());
      const message = String(error?.message ?? error);
      of({ file: failed.file ?? failed.parent?.file }).failures.push({
        title: failed.fullTitle(),
        message: message.replace(/\s+/g, ' ').slice(0, 300),
        details: String(error?.stack ?? message),
      });
      save();
    });
    save();
  });
}

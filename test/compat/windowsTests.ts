// node.exe windowsTests.js <job.json>: runs unit tests in Windows' Node, one file after the other, and writes down what comes
// of each as it happens: this process may not reach its end.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { takeYourTime } from '../setup/mochaRun';

/** What the process is to do. Paths are Windows'. */
export interface Job {
  /** Each below the folder of the compiled unit tests. */
  files: string[];
  unit: string;
  /** Where one line of JSON for each `Happening` goes. */
  happenings: string;
  notHere: NotHere[];
}

/** Tests that can't run, in one file: the one whose full title has this text, or all. */
export interface NotHere {
  file: string;
  title?: string;
  why: string;
}

export type Happening =
  | { is: 'file'; file: string }
  | { is: 'end'; file: string }
  | { is: 'test'; title: string }
  | { is: 'pass'; title: string }
  | { is: 'skipped'; title: string }
  /** `count` tests that `notHere[entry]` names. */
  | { is: 'left out'; entry: number; count: number }
  | { is: 'fail'; title: string; error: string };

/** No shorter than what a test waits for at most. */
const TEST_MS = 20_000;

const job = JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8')) as Job;
const tell = (happening: Happening) => fs.appendFileSync(job.happenings, `${JSON.stringify(happening)}\n`);

/** Takes the tests that can't run out of a suite. Those who stay run as everywhere. */
function leaveOut(suite: Mocha.Suite, file: string): void {
  for (const [entry, { file: named, title }] of job.notHere.entries()) {
    if (named === file.replaceAll('\\', '/')) tell({ is: 'left out', entry, count: remove(suite, title) });
  }
}

function remove(suite: Mocha.Suite, title = ''): number {
  const gone = suite.tests.filter(test => test.fullTitle().includes(title));
  suite.tests = suite.tests.filter(test => !gone.includes(test));
  return suite.suites.reduce((count, inner) => count + remove(inner, title), gone.length);
}

async function run(file: string): Promise<void> {
  const { default: Mocha } = await import('mocha');
  tell({ is: 'file', file });
  const mocha = new Mocha({ ui: 'bdd', reporter: Mocha.reporters.Base, timeout: TEST_MS, forbidOnly: true });
  mocha.addFile(path.join(job.unit, file));
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    tell({ is: 'fail', title: file, error: textOf(error) });
    return tell({ is: 'end', file });
  }
  leaveOut(mocha.suite, file);
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('test', test => tell({ is: 'test', title: test.fullTitle() }));
    runner.on('pass', test => tell({ is: 'pass', title: test.fullTitle() }));
    runner.on('pending', test => tell({ is: 'skipped', title: test.fullTitle() }));
    runner.on('fail', (test, error) => tell({ is: 'fail', title: test.fullTitle(), error: textOf(error) }));
  });
  tell({ is: 'end', file });
}

const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function main(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  takeYourTime(Mocha); // Wine takes a while to start processes
  for (const file of job.files) await run(file);
  process.exit(0);
}
main().catch(error => {
  console.error(error);
  process.exit(1);
});

import { messageOf } from '../../../base/errors';
import { type PhraseError, phrase } from '../../../base/phrase';
import { readBounded } from '../../../base/readBounded';
import { MAX_TEST_FILE } from './readTestFile';
import type { PlacedProblem } from './sourceText';

/** The test engine, free of the editor, for `mcptest.js` and for what the editor does with tests. In its own bundle (`doors.ts`). */
export { Coverage } from './coverage';
export { compareSnapshots, snapshotOf } from './interfaceSnapshot';
export { fits, readEvalFile } from './readEvalFile';
export { MAX_TEST_FILE, readTestFile, TEST_FILE } from './readTestFile';
export { recordedStep, testAsYaml, withTest } from './recordedTest';
export { countsOf, junitReport, plainReport, tapReport } from './reports';
export { runTests } from './runTests';
export { coverageMarks, readSnapshotFile, snapshotText, writeSnapshotFile } from './snapshotFile';
export { TestClock } from './testClock';
export { testedServer } from './testServer';

/** The text of a test file. Rejects as `readBounded` does. */
export const readText = (path: string): Promise<string> => readBounded(path, MAX_TEST_FILE);

/** What a file has in place of tests when it can't be opened. */
export const unreadable = (error: unknown): PlacedProblem => ({
  place: { line: 0, column: 0 },
  message: phrase('The file cannot be read: {0}', (error as Partial<PhraseError>).phrase ?? messageOf(error, 200)),
});

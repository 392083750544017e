/** Features for server authors: tests, snapshots, questions for models, restarts on save, the conformance suite. */
export { TestClock } from '../features/authors/core/testSession'; // looked at by the tests of debugged tests
export { QuestionFiles } from '../features/authors/questionFiles';
export { recordTest } from '../features/authors/recordTest';
export { Snapshots } from '../features/authors/snapshots';
export { TestExplorer } from '../features/authors/testExplorer';
export { DevServers } from '../features/dev/devServers';
export { compareDescriptions } from '../features/evals/evals';
export { checkConformance } from '../features/lint/checkConformance';

/**
 * Code needed with the first task, the first value that is checked against a JSON schema, or the first that a schema of the
 * SDK refuses. The validator interprets schemas,
 * instead of AJV, which compiles them to code with `new Function`.
 */
export { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
export { lenient } from './lenient';
export { LenientMessages } from './lenientMessages';
export { plainProblem } from './plainProblem';
export { ReceivedTasks } from './receivedTasks';
export { cancelTask, followTask } from './tasks';

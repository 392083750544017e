/**
 * Code needed with the first task, the first value that is checked against a JSON schema, or the first that a schema of the
 * SDK refuses. The validator interprets schemas,
 * instead of AJV, which compiles them to code with `new Function`.
 */
export { lenient } from './lenient';
export { LenientMessages } from './lenientMessages';
export { plainProblem } from './plainProblem';
export { ReceivedTasks } from './receivedTasks';
export { SchemaChecks } from './schemaChecks';
export { cancelTask, followTask } from './tasks';

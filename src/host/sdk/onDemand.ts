/**
 * Code needed with the first task, the first value that is checked against a JSON schema, or the first that a schema of the
 * SDK refuses. The validator interprets schemas,
 * instead of AJV, which compiles them to code with `new Function`.
 */
export { carriedForm, carryingForm, formProblem } from './forms';
export { LenientMessages, lenient } from './lenient';
export { ReceivedTasks } from './receivedTasks';
export { SchemaChecks } from './schemaChecks';
export { argumentProblem, outputProblem, schemaFault, schemaProblem, uncheckedPart } from './schemaProblems';
export { cancelTask, followTask } from './tasks';

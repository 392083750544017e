/**
 * Code needed with the first task, form, argument in a header, value that is checked against a JSON schema, or value that a schema
 * of the SDK refuses. The validator interprets schemas, instead of AJV, which compiles them to code with `new Function`.
 */
export { carriedForm, carryingForm, formProblem } from './forms';
export { LenientMessages, lenient } from './lenient';
export { parameterHeaderProblem } from './parameterHeaders';
export { ReceivedTasks } from './receivedTasks';
export { SchemaChecks } from './schemaChecks';
export { argumentProblem, outputProblem, schemaFault, schemaProblem, uncheckedPart } from './schemaProblems';
export { cancelTask, followTask } from './tasks';

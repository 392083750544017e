/**
 * Code needed with the first task, form, argument in a header, message that has to be read with care, or value that is checked
 * against a JSON schema. The validator interprets schemas, instead of AJV, which compiles them to code with `new Function`.
 */
export { readBlocks } from '../reading/contentBlocks';
export { readDiscovered, readInitialized } from '../reading/handshake';
export { readItem } from '../reading/listItems';
export { questionStandIn } from '../reading/peerQuestions';
export { readCompletion, readContents, readPrompt, readToolResult } from '../reading/results';
export { carriedForm, carryingForm, formProblem } from './forms';
export { parameterHeaderProblem } from './parameterHeaders';
export { ReceivedTasks } from './receivedTasks';
export { SchemaChecks } from './schemaChecks';
export { argumentProblem, outputProblem, schemaFault, schemaProblem, uncheckedPart } from './schemaProblems';
export { cancelTask, followTask } from './tasks';

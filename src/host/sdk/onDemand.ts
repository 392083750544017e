/**
 * Code needed with the first task, or the first value that is checked against a JSON schema. The validator interprets schemas,
 * instead of AJV, which compiles them to code with `new Function`.
 */
export { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
export { ReceivedTasks } from './receivedTasks';
export { followTask } from './tasks';

/**
 * The validator that interprets JSON schemas, instead of AJV, which compiles them to code with `new Function`. In its own
 * bundle (esbuild.js), loaded when the first value is checked.
 */
export { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

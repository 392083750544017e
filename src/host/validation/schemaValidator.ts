/**
 * The validator that interprets JSON schemas, instead of AJV, which compiles them to code with `new Function`. A bundle of
 * its own (esbuild.js), loaded when the first value is checked.
 */
export { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

/**
 * Takes the place of the SDK client's `_shims` for Node in the bundle (esbuild.js): the same, with the validator that
 * interprets JSON schemas instead of AJV, which compiles them to code with `new Function` and weighs 150 KB.
 */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

/** In Node a `TypeError` of `fetch` is a network error, never CORS. */
export const CORS_IS_POSSIBLE = false;

/**
 * Replaces the SDK server's `_shims` for Node in the bundle (esbuild.js): the same, but with the validator that interprets
 * JSON schemas in place of AJV, which compiles them with `new Function` and takes 150 KB.
 */
export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

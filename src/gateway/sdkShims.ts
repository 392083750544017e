/**
 * Takes the place of the SDK server's `_shims` for Node in the bundle (esbuild.js): the same, with the validator that
 * interprets JSON schemas instead of AJV, which compiles them to code with `new Function` and weighs 150 KB.
 */
export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

/**
 * Replaces the SDK client's `_shims` for Node in the bundle (esbuild.js), which includes AJV, 150 KB. Every client of ours
 * is given its validator.
 */
export { SchemaValidator as DefaultJsonSchemaValidator } from './schemaValidator';

/** In Node a `TypeError` of `fetch` is a network error, never CORS. */
export const CORS_IS_POSSIBLE = false;

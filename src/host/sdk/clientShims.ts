/**
 * In bundles this module replaces the SDK client's `_shims` (esbuild.js), which include AJV, 150 KB. Every client of ours is given
 * its validator.
 */
export { SchemaChecks as DefaultJsonSchemaValidator } from './schemaChecks';
/**
 * Tells the SDK what a `TypeError` of `fetch` is: a network error in Node. In web windows it may come from a preflight, and the
 * SDK asks again without headers.
 */
export const CORS_IS_POSSIBLE = (process.platform as string) === 'web';

/** In place of the SDK client's `_shims` (esbuild.js), which include AJV, 150 KB. Our clients are given a validator. */
export { SchemaChecks as DefaultJsonSchemaValidator } from './schemaChecks';
/** What a `TypeError` of `fetch` is: a network error. In web windows the SDK asks again, without headers. */
export const CORS_IS_POSSIBLE = (process.platform as string) === 'web';

/** As `src/host/sdk/shims.ts`. */
export { SchemaValidator as DefaultJsonSchemaValidator } from '../host/sdk/schemaValidator';

/** A `TypeError` of `fetch` may come from a preflight: the SDK then asks for metadata again without headers. */
export const CORS_IS_POSSIBLE = true;

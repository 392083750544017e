/** Deeper schemas are not examined. The catalog offers no tool with one. */
export const MAX_SCHEMA_DEPTH = 50;
/** Keywords whose value is data, in which keywords have no meaning and null is a value. */
export const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose members are schemas by name. */
export const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);
/** Keywords whose value is a reference. */
export const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Whether `localSchema` has to look at a keyword for its faults: most schemas have none of these. */
export const mayBeFault = (keyword: string, value: unknown): boolean =>
  REFERENCES.has(keyword) || (keyword === 'additionalProperties' && value === false);

/** The dialects that the validator knows; a schema that names none is of 2020-12 (spec: basic#json-schema-usage). */
const DIALECT = /^https?:\/\/json-schema\.org\/(draft\/(2020-12|2019-09)|draft-0[67])\/schema#?$/;

export const isKnownDialect = ({ $schema: dialect }: Readonly<Record<string, unknown>>): boolean =>
  typeof dialect !== 'string' || DIALECT.test(dialect);

export type { JsonSchema } from './schemaFields';
export { type FormStep, formOf, withValue } from './schemaForm';

export { confirmDestructive, tellRefused } from './callQuestions';
export { isObject, type JsonSchema, type SchemaProblem } from './core/schema';
export { type FormStep, formOf, valueAt, withValue } from './core/schemaForm';
export { askField, type FieldButton, type StepAnswer } from './fieldInput';
export { RawJson } from './rawJson';
export type { ResultStore } from './resultDocument';

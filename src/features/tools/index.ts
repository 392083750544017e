export { confirmDestructive, tellRefused } from './confirmCall';
export type { JsonSchema } from './core/jsonSchema';
export type { AskedForm, FormAnswer } from './core/page/askedForm';
export { type FormStep, formOf, valueAt, withValue } from './core/schemaForm';
export { askField, type FieldButton, type StepAnswer } from './fieldInput';
export { RawJson } from './rawJson';
export type { ResultStore, ToolResults } from './resultDocument';

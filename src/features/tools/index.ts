export type { AskedForm, FormAnswer } from './askForm';
export type { JsonSchema } from './core/schemaForm';
export { type FormStep, formOf, valueAt, withValue } from './core/schemaForm';
export { askField, type FieldButton, type StepAnswer } from './fieldInput';
export { RawJson } from './rawJson';
export type { ResultStore, ToolResults } from './resultDocument';
export { confirmDestructive, tellRefused } from './runTool';

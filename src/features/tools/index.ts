export type { AskedForm, EditOnPage, FormAnswer } from './askForm';
export { type FormStep, formOf, type JsonSchema, withValue } from './core/schemaForm';
export type { ResultStore, ToolResults } from './resultDocument';
export { confirmDestructive, tellRefused } from './runTool';

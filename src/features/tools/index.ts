export type { AskedForm, EditOnPage, FormAnswer } from './askForm';
export type { JsonSchema } from './core/schemaFields';
export { type FormStep, formOf, withValue } from './core/schemaForm';
export type { ResultStore, ToolResults } from './resultDocument';
export { confirmDestructive, tellRefused } from './runTool';

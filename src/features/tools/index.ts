export type { AskedForm, EditOnPage, FormAnswer } from './askForm';
export * from './core';
export type { ResultStore, ToolResults } from './resultDocument';
export { confirmDestructive, tellRefused } from './runTool';

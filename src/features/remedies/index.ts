export { askValue, openInstallPage, runInTerminal } from './applyRemedy';
export { mendEntry, mendsEntry } from './core/mendEntry';

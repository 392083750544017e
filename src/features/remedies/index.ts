export { askValue, openInstallPage, runInTerminal } from './askRemedy';
export { mendEntry, mendsEntry } from './core/mendEntry';

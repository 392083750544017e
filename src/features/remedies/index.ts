export { askValue, openInstallPage } from './askRemedy';
export { mendEntry, mendsEntry } from './core/mendEntry';

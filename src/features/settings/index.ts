export type { Configuration, ProjectFile } from './configuration';
export * from './core';
export {
  changeSettings,
  type EditableFiles,
  editSettings,
  offerUndo,
  type Rewrite,
  type Undo,
  updateSettings,
} from './editSettings';
export { optionsFor, type SettingsFiles } from './settingsFiles';

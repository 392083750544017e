export type { Configuration, ProjectFile } from './configuration';
export * from './core';
export {
  type EditableFiles,
  editSettings,
  offerUndo,
  type Rewrite,
  type SettingsChange,
  type Undo,
  undoOf,
  updateSettings,
} from './editSettings';
export { optionsFor, type SettingsFiles } from './settingsFiles';

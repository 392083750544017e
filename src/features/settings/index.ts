export type { Configuration, ProjectFile } from './configuration';
export { documentAddress } from './core/documentAddress';
export { findEntry, findNode, findSetting, type LocateOptions } from './core/locateSetting';
export {
  append,
  difference,
  duplicateEntry,
  formattingOf,
  freeId,
  newInput,
  removeEntry,
  removeProperty,
  renameEntry,
  setEnabled,
  settingPath,
  setValues,
  spaced,
} from './core/settingsEdit';
export { settingsFixes } from './core/settingsFixes';
export { parseTelemetry, type TelemetrySettings } from './core/telemetrySettings';
export {
  editSettings,
  offerUndo,
  type Rewrite,
  type SettingsChange,
  type Undo,
  undoOf,
  updateSettings,
} from './editSettings';
export { optionsFor, type SettingsFiles } from './settingsFiles';

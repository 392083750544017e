export { documentAddress } from './documentAddress';
export { findEntry, findNode, findSetting, type LocateOptions } from './locateSetting';
export {
  append,
  difference,
  duplicateEntry,
  formattingOf,
  freeId,
  isReadable,
  newInput,
  removeEntry,
  removeProperty,
  renameEntry,
  setEnabled,
  settingPath,
  setValues,
  spaced,
} from './settingsEdit';
export { settingsFixes } from './settingsFixes';
export { parseTelemetry, type TelemetrySettings } from './telemetrySettings';

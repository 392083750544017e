export type { Configuration } from './configuration';
export { findNode, findSetting, type LocateOptions, locate } from './core/locate';
export { difference, formattingOf, freeId, settingPath, setValues } from './core/settingsEdit';
export { findEntry, settingsFixes } from './core/settingsFixes';
export { isUserSettings, type SettingsFiles } from './settingsFiles';

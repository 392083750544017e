export type { Configuration } from './configuration';
export { findNode, findSetting, type LocateOptions, locate } from './core/locate';
export { difference, formattingOf, freeId, settingPath } from './core/settingsEdit';
export { isUserSettings, type SettingsFiles } from './settingsFiles';

export type { Configuration } from './configuration';
export { duplicateEntry, removeEntry, removeProperty, renameEntry, setEnabled, takeBack } from './core/entryEdit';
export { findEntry, findNode, findSetting, type LocateOptions, locate } from './core/locateSetting';
export { newInput } from './core/newInput';
export { difference, formattingOf, freeId, settingPath, setValues } from './core/settingsEdit';
export { settingsFixes } from './core/settingsFixes';
export { editSettings, rememberTabs, type SettingsChange } from './editSettings';
export { isUserSettings, type SettingsFiles } from './settingsFiles';

import { parseInputs } from './inputs';
import { findNode, findSetting } from './locate';
import { parseServers } from './parse';
import { findPlainSecrets } from './plainSecrets';

/** How settings are read, for code of another bundle that changes them. */
export const settingsReading = { findNode, findPlainSecrets, findSetting, parseInputs, parseServers };

export type SettingsReading = typeof settingsReading;

import { parseInputs } from './inputs';
import { parseServers } from './parse';
import { findPlainSecrets } from './plainSecrets';

/** How settings are read, for code of another bundle that changes them. */
export const settingsReading = { findPlainSecrets, parseInputs, parseServers };

export type SettingsReading = typeof settingsReading;

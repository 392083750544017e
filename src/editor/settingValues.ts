import { OWN_SETTINGS } from './ownSettings';

import vscode = require('vscode');

/**
 * The value of one of our settings, unchecked. Older editors take any setting from a workspace that writes several as one object, whatever
 * their scope and without its trust, so what is the person's alone is read from their own settings.
 */
export function settingValue(key: string): unknown {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  if (vscode.workspace.isTrusted && !OWN_SETTINGS.has(key)) return settings.get(key);
  const found = settings.inspect(key);
  return ownValue(found) ?? found?.defaultValue;
}

/**
 * What the editor says about a setting. It tells the settings of a remote machine from the person's own in every version that we
 * support, but its types do not have that.
 */
export interface InspectedSetting<T> {
  readonly globalValue?: T;
  readonly globalLocalValue?: T;
  readonly globalRemoteValue?: T;
  readonly workspaceValue?: T;
  readonly workspaceFolderValue?: T;
}

export function ownValue<T>(found: InspectedSetting<T> | undefined): T | undefined {
  return machineValue(found) === undefined ? found?.globalValue : found?.globalLocalValue;
}

/**
 * The value in the settings of a remote machine, which the editor merges into the user settings. A repository may have written it: the
 * editor puts what a `devcontainer.json` says there.
 */
export function machineValue<T>(found: InspectedSetting<T> | undefined): T | undefined {
  if (vscode.env.remoteName === undefined) return undefined;
  // If it can't be told, nothing counts as the person's own.
  return found && 'globalRemoteValue' in found ? found.globalRemoteValue : found?.globalValue;
}

/** The values of a setting that others than the person may have written: those of the workspace, its folders and a remote machine. */
export const valuesOfOthers = <T>(found: InspectedSetting<T> | undefined): T[] =>
  [found?.workspaceValue, found?.workspaceFolderValue, machineValue(found)].filter(value => value !== undefined);

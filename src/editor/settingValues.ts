import vscode = require('vscode');

/**
 * What the editor says about a setting. It tells the settings of a remote machine from the person's own in every version that we
 * support, but its types do not have that.
 */
export interface InspectedSetting<T> {
  readonly globalValue?: T;
  readonly globalLocalValue?: T;
  readonly globalRemoteValue?: T;
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

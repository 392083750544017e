import { machineValue, ownValue } from '../../editor/settingValues';
import type { PlainState } from '../../editor/storage';
import type { ConfiguredProfiles } from './core/readProfiles';

import vscode = require('vscode');

export const CHOSEN_PROFILE = 'profiles.chosen';

/** Whether there is anything that profiles are needed for. */
export function hasProfiles(state: PlainState): boolean {
  return state.get(CHOSEN_PROFILE) !== undefined || configuredProfiles().length > 0;
}

/** `mcpHost.profiles` of each settings file that has it. An untrusted workspace has no say. */
export function configuredProfiles(): readonly ConfiguredProfiles[] {
  const found = vscode.workspace.getConfiguration('mcpHost').inspect('profiles');
  const workspace = vscode.workspace.isTrusted ? found?.workspaceValue : undefined;
  return [
    { source: { scope: 'user' as const }, value: ownValue(found) },
    { source: { scope: 'machine' as const }, value: machineValue(found) },
    { source: { scope: 'workspace' as const }, value: workspace },
  ].filter(({ value }) => value !== undefined);
}

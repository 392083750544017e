import vscode = require('vscode');

import { t, window } from '../../editor/window';
import { type EditorPolicies, editorPolicies } from './core/editorPolicies';
import { fixedSettings, type ManagedValues } from './core/managedFile';

/** What the editor's policies say about MCP servers now. Loaded where they say anything. */
export function readEditorPolicies(): EditorPolicies {
  const settings = vscode.workspace.getConfiguration();
  return editorPolicies(name => ({ value: settings.get(name), byDefault: settings.inspect(name)?.defaultValue }));
}

/** Tells a person who changes a setting that the organization fixes it. */
export async function noticeFixed(event: vscode.ConfigurationChangeEvent, fixed: ManagedValues): Promise<void> {
  const name = fixedSettings(fixed).find(setting => event.affectsConfiguration(setting));
  if (name === undefined) return;
  const show = t('Show Organization Rules');
  const text = t('Your organization fixes "{0}": what you set there counts only where it is stricter.', name);
  if ((await window.showInformationMessage(text, show)) === show)
    await vscode.commands.executeCommand('mcpHost.showOrganizationRules');
}

import vscode = require('vscode');

import { isObject } from '../../base/json';
import { t, window } from '../../editor/window';
import type { CheckedTools, ToolRow } from './core/checkedTools';
import { profileOf } from './core/profileOf';

const MAX_NAME = 60;

/** Asks for a name, and adds the checked tools to the person's settings as a profile. It is used only on request. */
export async function saveAsProfile(rows: readonly ToolRow[], checked: CheckedTools): Promise<void> {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  const found: unknown = settings.inspect('profiles')?.globalValue;
  const profiles = isObject(found) ? found : {};
  const name = await window.showInputBox({
    title: t('Save as Profile'),
    prompt: t('A name for these tools, for "Switch Profile…" and {0}', '/profile'),
    ignoreFocusOut: true,
    validateInput: typed => problemOf(typed.trim(), profiles),
  });
  if (!name) return;
  const added = { ...profiles, [name.trim()]: profileOf(rows, checked) };
  await settings.update('profiles', added, vscode.ConfigurationTarget.Global);
  const use = t('Use It');
  const chosen = await window.showInformationMessage(t('The profile "{0}" was saved.', name.trim()), use);
  if (chosen === use) await vscode.commands.executeCommand('mcpHost.switchProfile', name.trim());
}

function problemOf(name: string, profiles: object): string | undefined {
  if (name === '' || name.length > MAX_NAME) return t('Enter 1 to {0} characters.', MAX_NAME);
  return Object.hasOwn(profiles, name) ? t('Your user settings already have a profile of this name.') : undefined;
}

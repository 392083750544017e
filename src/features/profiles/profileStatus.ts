import vscode = require('vscode');

import { plain } from '../../base/text';
import { say, t, window } from '../../editor/window';
import type { Profile } from './core/readProfiles';

/** The settings that a profile comes from. */
export const originText = ({ source }: Pick<Profile, 'source'>) =>
  source.scope === 'user' ? t('user settings') : t('workspace settings');

/** The active profile; a click switches. Hidden while there is none. */
export class ProfileStatusBar implements vscode.Disposable {
  readonly #item = window.createStatusBarItem('mcpHost.profile', vscode.StatusBarAlignment.Right, 89);

  constructor(private readonly profiles: { readonly active: Profile | undefined; readonly isOutdated: boolean }) {
    this.#item.name = t('MCP Profile');
    this.#item.command = 'mcpHost.switchProfile';
  }

  update(): void {
    const { active, isOutdated } = this.profiles;
    if (!active) {
      this.#item.hide();
      return;
    }
    this.#item.text = say`$(filter) ${active.name}`;
    const label = t(
      'MCP profile "{0}", from {1}: models get only the tools that it names.',
      active.name,
      originText(active),
    );
    const lines = [label, isOutdated && t('The workspace has changed it since you chose it.')];
    this.#item.tooltip = plain(lines.filter(Boolean).join('\n'));
    this.#item.accessibilityInformation = { label };
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

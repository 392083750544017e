import vscode = require('vscode');

import { t } from '../../editor/window';
import { downloaderOf, type ServerConnection, type ServerState } from '../../host';

/** States in which a server waits for a person, with the icon that says for what. */
export const WAITING_ICONS = { needsTrust: 'shield', needsInput: 'edit', needsAuth: 'key' } as const;

/** A few words on what a server is doing, for rows, tooltips and screen readers. */
export function stateText({ state, startPolicy, definition, account }: ServerConnection): string {
  switch (state.kind) {
    case 'stopped':
      if (definition.entry?.enabled === false) return t('disabled');
      return startPolicy === 'onDemand' ? t('starts on first use') : t('stopped');
    case 'starting':
      return state.isSlow ? slowStartText(definition.entry) : t('starting…');
    case 'ready':
      return t('ready');
    case 'reconnecting':
      return t('reconnecting…');
    case 'failed':
      return t('failed');
    case 'needsTrust':
      return t('needs approval to start');
    case 'needsInput':
      return t('needs input');
    case 'needsAuth':
      return account.signInEnded ? t('needs you to sign in again') : t('sign-in required');
  }
}

export function stateIcon(state: ServerState): vscode.ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new vscode.ThemeIcon('circle-outline');
    case 'starting':
      return new vscode.ThemeIcon('loading~spin');
    case 'ready':
      return new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed'));
    case 'reconnecting':
      return new vscode.ThemeIcon('sync~spin', new vscode.ThemeColor('testing.iconQueued'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
    default:
      return new vscode.ThemeIcon(WAITING_ICONS[state.kind], new vscode.ThemeColor('testing.iconQueued'));
  }
}

function slowStartText(entry: ServerConnection['definition']['entry']): string {
  const downloader = downloaderOf(entry);
  return downloader ? t('still starting… {0} may be downloading', downloader) : t('still starting…');
}

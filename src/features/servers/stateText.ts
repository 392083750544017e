import vscode = require('vscode');

import { t, verbatim } from '../../editor/window';
import { downloaderOf, type ServerConnection, type ServerState } from '../../host';

/** What is wrong in the entry of a server that can be used all the same, in a few words. Empty: nothing. */
export function warningText({ problems }: Pick<ServerConnection['definition'], 'problems'>): string {
  const [first, ...others] = problems.filter(({ severity }) => severity !== 'hint');
  if (!first) return '';
  if (others.length > 0) return t('{0} warnings', others.length + 1);
  if (first.variable !== undefined) return verbatim('{0} is not set', first.variable);
  return first.onKey ? verbatim('"{0}" is ignored', String(first.path.at(-1))) : t('1 warning');
}

/** States in which a server waits for a person, with the icon that says for what. */
export const WAITING_ICONS = { needsTrust: 'shield', needsInput: 'edit', needsAuth: 'key' } as const;

/** Whether it is a program in a web window, where it can't run: nothing is wrong with it. */
export const isForOtherWindows = (state: ServerState): boolean =>
  state.kind === 'failed' && state.error.code === 'NO_PROGRAMS';

/** The name of a state. */
export function stateName(kind: ServerState['kind']): string {
  switch (kind) {
    case 'stopped':
      return t('stopped');
    case 'starting':
      return t('starting…');
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
      return t('sign-in required');
  }
}

/** A few words on what a server is doing, for rows, tooltips and screen readers. */
export function stateText({ state, startPolicy, definition, account }: ServerConnection): string {
  switch (state.kind) {
    case 'stopped':
      if (definition.entry?.enabled === false) return t('disabled');
      return startPolicy === 'onDemand' ? t('starts on first use') : stateName(state.kind);
    case 'starting':
      return state.isSlow ? slowStartText(definition.entry) : stateName(state.kind);
    case 'reconnecting':
      return state.isDown ? t('not reachable') : stateName(state.kind);
    case 'needsAuth':
      return account.signInEnded ? t('needs you to sign in again') : stateName(state.kind);
    default:
      return isForOtherWindows(state) ? t('not available in web windows') : stateName(state.kind);
  }
}

/** @param isFine false where a ready server needs a look: a tick would say that all is well. */
export function stateIcon(state: ServerState, isFine = true): vscode.ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new vscode.ThemeIcon('circle-outline');
    case 'starting':
      return new vscode.ThemeIcon('loading~spin');
    case 'ready':
      if (!isFine) return new vscode.ThemeIcon('warning', new vscode.ThemeColor('testing.iconQueued'));
      return new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed'));
    case 'reconnecting':
      return new vscode.ThemeIcon(
        state.isDown ? 'debug-disconnect' : 'sync~spin',
        new vscode.ThemeColor('testing.iconQueued'),
      );
    case 'failed':
      if (isForOtherWindows(state)) return new vscode.ThemeIcon('circle-slash');
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
    default:
      return new vscode.ThemeIcon(WAITING_ICONS[state.kind], new vscode.ThemeColor('testing.iconQueued'));
  }
}

function slowStartText(entry: ServerConnection['definition']['entry']): string {
  const downloader = downloaderOf(entry);
  return downloader ? t('still starting… {0} may be downloading', downloader) : t('still starting…');
}

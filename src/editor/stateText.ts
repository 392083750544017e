import vscode = require('vscode');

import { downloaderOf, type ServerConnection, type ServerState } from '../host';
import { say, t, verbatim } from './window';

/** What is wrong in the entry of a server that can be used all the same, in a few words. Empty: nothing. */
export function warningText({ problems }: Pick<ServerConnection['definition'], 'problems'>): string {
  const [first, ...others] = problems.filter(({ severity }) => severity !== 'hint');
  if (!first) return '';
  if (others.length > 0) return t('{0} warnings', others.length + 1);
  if (first.variable !== undefined) return verbatim('{0} is not set', first.variable);
  if (first.meant !== undefined)
    return t('"{0}" is ignored; did you mean "{1}"?', String(first.path.at(-1)), first.meant);
  return first.onKey ? verbatim('"{0}" is ignored', String(first.path.at(-1))) : t('1 warning');
}

/** States in which a server waits for a person, with the icon that says for what. */
export const WAITING_ICONS = { needsTrust: 'shield', needsInput: 'edit', needsAuth: 'key' } as const;

/** Whether it is a program in a web window, where it can't run: nothing is wrong with it. */
export const isForOtherWindows = (state: ServerState): boolean =>
  state.kind === 'failed' && state.error.code === 'NO_PROGRAMS';

export function stateName(kind: ServerState['kind']): string {
  return {
    stopped: t('stopped'),
    starting: t('starting…'),
    ready: t('ready'),
    reconnecting: t('reconnecting…'),
    failed: t('failed'),
    needsTrust: t('needs approval to start'),
    needsInput: t('needs input'),
    needsAuth: t('sign-in required'),
  }[kind];
}

/** A few words on what a server is doing, for rows, tooltips and screen readers. */
export function stateText({ state, startPolicy, definition, account }: ServerConnection): string {
  switch (state.kind) {
    case 'stopped':
      if (definition.entry?.enabled === false) return t('disabled');
      return startPolicy === 'onDemand' ? t('starts on first use') : stateName(state.kind);
    case 'starting':
      return state.isSlow ? slowStartText(definition.entry, state.printed) : stateName(state.kind);
    case 'reconnecting':
      return state.isDown ? t('not reachable') : stateName(state.kind);
    case 'needsAuth':
      return account.signInEnded ? t('needs you to sign in again') : stateName(state.kind);
    default:
      return isForOtherWindows(state) ? t('not available in web windows') : stateName(state.kind);
  }
}

export const themeIcon = (id: string, color?: string): vscode.ThemeIcon =>
  new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));

/** Of what waits for the person, or is not as it should be. */
export const queuedIcon = (id: string): vscode.ThemeIcon => themeIcon(id, 'testing.iconQueued');

/** @param isFine false where a ready server needs a look: a tick would say that all is well. */
export function stateIcon(state: ServerState, isFine = true): vscode.ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return themeIcon('circle-outline');
    case 'starting':
      return themeIcon('loading~spin');
    case 'ready':
      return isFine ? themeIcon('pass-filled', 'testing.iconPassed') : queuedIcon('warning');
    case 'reconnecting':
      return queuedIcon(state.isDown ? 'debug-disconnect' : 'sync~spin');
    case 'failed':
      return isForOtherWindows(state) ? themeIcon('circle-slash') : themeIcon('error', 'testing.iconFailed');
    default:
      return queuedIcon(WAITING_ICONS[state.kind]);
  }
}

function slowStartText(entry: ServerConnection['definition']['entry'], printed: string | undefined): string {
  if (printed !== undefined) return say`${t('still starting…')} ${printed}`;
  const downloader = downloaderOf(entry);
  return downloader ? t('still starting… {0} may be downloading', downloader) : t('still starting…');
}

/** Where the entry of a server is. */
export function fileText({ source: { scope, folder, managed } }: ServerConnection['definition']): string {
  if (managed !== undefined) return verbatim('{0}, by your organization', managed);
  return {
    user: t('user settings'),
    machine: t('remote settings'),
    workspace: t('workspace settings'),
    workspaceFolder: t('folder settings'),
    extension: verbatim('the extension {0}', folder?.name ?? ''),
  }[scope];
}

import { type PlainText, visible, withoutIcons } from '../../base/text';
import { stateText } from '../../editor/stateText';
import { joined, say, t } from '../../editor/window';
import type { ServerConnection, ServerSet, ServerState } from '../../host';
import { findEntry, findSetting } from './core/locateSetting';
import { optionsFor, type SettingsFiles } from './settingsFiles';

import vscode = require('vscode');

/** The editor draws no space between an icon and its text. */
const NBSP = '\u00a0';

type Lens = [icon: string, title: PlainText, command: string];

/** Code lenses in settings files: state and actions of each server, and *Add Server…* above the list of all. */
export function lensesOf(document: vscode.TextDocument, files: SettingsFiles, servers: ServerSet): vscode.CodeLens[] {
  const text = document.getText();
  const options = optionsFor(document);
  const rangeOf = ({ offset, length }: { offset: number; length: number }) =>
    new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const lenses: vscode.CodeLens[] = [];
  const key = findSetting(text, options)?.parent?.children?.[0];
  if (!key) return lenses;
  lenses.push(lens(rangeOf(key), ['add', t('Add Server…'), 'mcpHost.addServer']));
  for (const server of servers.all) {
    const { name, source } = server.definition;
    const entry = files.isIn(document, source) ? findEntry(text, name, options)?.parent?.children?.[0] : undefined;
    if (!entry) continue;
    const range = rangeOf(entry);
    const state = new vscode.CodeLens(range, { title: withoutIcons(visible(stateText(server), 120)), command: '' });
    const acts = actsOf(server).map(act => lens(range, act, { server }));
    lenses.push(state, ...acts);
  }
  return lenses;
}

function lens(range: vscode.Range, [icon, title, command]: Lens, ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(range, { title: joined([say`$(${icon})`, title], NBSP), command, arguments: args });
}

function actsOf(server: ServerConnection): Lens[] {
  const tools = server.offers('tools').length;
  return [
    ...ACTS[server.state.kind](server),
    ['output', t('Log'), 'mcpHost.showServerLog'],
    ...(tools > 0
      ? [['tools', tools === 1 ? t('1 tool') : t('{0} tools', tools), 'mcpHost.runTool'] satisfies Lens]
      : []),
  ];
}

const start = ({ definition }: ServerConnection): Lens[] =>
  definition.entry?.enabled === false
    ? [['play', t('Enable'), 'mcpHost.enableServer']]
    : [['play', t('Start'), 'mcpHost.startServer']];
const stop = (): Lens[] => [
  ['debug-stop', t('Stop'), 'mcpHost.stopServer'],
  ['debug-restart', t('Restart'), 'mcpHost.restartServer'],
];

const ACTS: { readonly [K in ServerState['kind']]: (server: ServerConnection) => Lens[] } = {
  stopped: start,
  failed: start,
  starting: stop,
  ready: stop,
  reconnecting: stop,
  needsTrust: () => [['shield', t('Review…'), 'mcpHost.reviewServer']],
  needsInput: () => [['edit', t('Enter Inputs'), 'mcpHost.enterInputs']],
  needsAuth: () => [['sign-in', t('Sign In'), 'mcpHost.signIn']],
};

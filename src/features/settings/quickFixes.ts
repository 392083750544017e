import { type PlainText, visible, withoutIcons } from '../../base/text';
import { remedyCommand } from '../../editor/remedyTexts';
import { joined, say, t, verbatim } from '../../editor/window';
import { type Remedy, remediesOf, type ServerConnection, type ServerSet, type ServerState } from '../../host';
import { findEntry, findSetting } from './core/locateSetting';
import { type SettingsFix, settingsFixes } from './core/settingsFixes';
import { isSame, type ShownProblem } from './settingsDiagnostics';
import { optionsFor, type SettingsFiles } from './settingsFiles';

import vscode = require('vscode');

export function fixesOf(
  document: vscode.TextDocument,
  problems: readonly ShownProblem[],
  servers: ServerSet,
): vscode.CodeAction[] {
  return problems.flatMap(shown => {
    const actions = actionsFor(document, shown, servers);
    for (const action of actions) action.diagnostics = [shown.diagnostic];
    return actions;
  });
}

function actionsFor(document: vscode.TextDocument, shown: ShownProblem, servers: ServerSet): vscode.CodeAction[] {
  const { source, problem } = shown;
  const server = servers.all.find(
    ({ definition }) => definition.name === problem.path[0] && isSame(definition.source, source),
  );
  switch (problem.code) {
    case 'plainSecret': {
      const action = fix(t('Move to an input'), 'mcpHost.moveToInput', { source, problem });
      action.isPreferred = true;
      return [action];
    }
    case 'failed':
      return failureFixes(server);
    case 'unsetVariable': {
      const { variable } = problem;
      return server && variable !== undefined ? [remedyFix({ kind: 'makeInput', variable }, server)] : [];
    }
    case 'floatingVersion':
      return server ? [fix(t('Pin the version that runs'), 'mcpHost.pinVersion', { server })] : [];
    default:
      return mistakeFixes(document, shown);
  }
}

/** Opens a terminal with the documented command that installs uv, for the person to run. */
export function installUv(platform: NodeJS.Platform = process.platform): vscode.Terminal {
  const terminal = vscode.window.createTerminal({ name: t('Install uv') });
  const command =
    platform === 'win32'
      ? 'powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"'
      : 'curl -LsSf https://astral.sh/uv/install.sh | sh';
  terminal.sendText(command, false);
  terminal.show();
  return terminal;
}

function mistakeFixes(document: vscode.TextDocument, { problem }: ShownProblem): vscode.CodeAction[] {
  const options = { ...optionsFor(document), ...(problem.setting && { setting: problem.setting }) };
  const found = settingsFixes(document.getText(), problem, options);
  return found.map(({ kind, to, edit }) => {
    const action = new vscode.CodeAction(titleOf(kind, to), vscode.CodeActionKind.QuickFix);
    action.edit = workspaceEdit(document, edit);
    action.isPreferred = found.length === 1;
    return action;
  });
}

function titleOf(kind: SettingsFix['kind'], to: string): string {
  return {
    rename: verbatim('Rename to "{0}"', to),
    instead: verbatim('Use {0} instead', to),
    type: verbatim('Change the type to "{0}"', to),
    list: t('Put the arguments in a list'),
    split: t('Move the arguments to "args"'),
    quote: t('Put it in quotes'),
    unquote: t('Remove the quotes'),
    remove: verbatim('Remove "{0}"', to),
    unwrap: t('Move the servers up one level'),
    moveInputs: t('Move them to "mcpHost.inputs"'),
    scheme: verbatim('Start it with "{0}"', to),
    withoutSpaces: t('Remove the spaces'),
    encodedSpaces: t('Write the spaces as %20'),
    defineInput: t('Define the input "{0}"', to),
  }[kind];
}

/** Fixes for a server that failed: the remedies that its row offers. */
function failureFixes(server: ServerConnection | undefined): vscode.CodeAction[] {
  if (server?.state.kind === 'ready') return [remedyFix({ kind: 'openLog' }, server)];
  if (server?.state.kind !== 'failed') return [];
  const elsewhere = remediesOf(server).filter(({ kind }) => kind !== 'openSettings');
  return elsewhere.map((remedy, index) => {
    const action = remedyFix(remedy, server);
    action.isPreferred = index === 0 && remedy.kind !== 'start';
    return action;
  });
}

function remedyFix(remedy: Remedy, server: ServerConnection): vscode.CodeAction {
  const { title, command, arguments: args = [] } = remedyCommand(remedy, server);
  return fix(title, command, ...args);
}

function fix(title: string, command: string, ...args: unknown[]): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { command, title, arguments: args };
  return action;
}

function workspaceEdit(
  document: vscode.TextDocument,
  { offset, length, content }: SettingsFix['edit'],
): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  edit.replace(document.uri, range, content);
  return edit;
}

/** The editor draws no space between an icon and its text. */
const NBSP = '\u00a0';

type Lens = [icon: string, title: PlainText, command: string];

/**
 * Code lenses above entries in settings files: the state of each server and its actions, and *Add Server…* above the list of
 * all.
 */
export function lensesOf(
  document: vscode.TextDocument,
  files: SettingsFiles,
  servers: ServerSet,
  stateText: (server: ServerConnection) => string,
): vscode.CodeLens[] {
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

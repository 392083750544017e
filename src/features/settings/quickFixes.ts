import { remedyCommand } from '../../editor/remedyTexts';
import { t, verbatim } from '../../editor/window';
import { type Remedy, remediesOf, type ServerConnection, type ServerSet } from '../../host';
import { type SettingsFix, settingsFixes } from './core/settingsFixes';
import { isSame, type ShownProblem } from './settingsDiagnostics';
import { optionsFor } from './settingsFiles';

import vscode = require('vscode');

/** Of so many problems at once, when much is selected: to see whether one helps, all servers are read with it. */
const MAX_PROBLEMS = 20;

export function fixesOf(
  document: vscode.TextDocument,
  problems: readonly ShownProblem[],
  servers: ServerSet,
): vscode.CodeAction[] {
  return problems.slice(0, MAX_PROBLEMS).flatMap(shown => {
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

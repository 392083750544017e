import vscode = require('vscode');

import { rowText, withoutIcons } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { reasonText, remedyText } from '../../editor/errorText';
import type { OpenQuestions } from '../../editor/openQuestions';
import { remedyTitle } from '../../editor/remedyTexts';
import type { RowMarks } from '../../editor/serverRows';
import { queuedIcon, stateIcon, stateText } from '../../editor/stateText';
import { type PlainRow, t, window } from '../../editor/window';
import { remediesOf, type ServerConnection, type ServerSet } from '../../host';

interface WaitingServices {
  readonly servers: ServerSet;
  readonly marks: RowMarks;
  readonly questions: Pick<OpenQuestions, 'all'>;
  /** Whether there are profiles to switch between. */
  readonly hasProfiles: () => boolean;
}

interface Row extends PlainRow {
  readonly run?: () => unknown;
  readonly buttons?: readonly (vscode.QuickInputButton & { readonly run: () => unknown })[];
}

const ACTIONS = { needsTrust: 'reviewServer', needsInput: 'enterInputs', needsAuth: 'signIn' } as const;
const run = (command: string, argument?: unknown) => vscode.commands.executeCommand(command, argument);

/** A list of everything that waits for the person. Choosing a row does what it asks for. */
export function showWaiting(services: WaitingServices): void {
  const rows = waitingRows(services);
  const pick = window.createQuickPick<Row>();
  pick.title = t('MCP: What Needs Your Attention');
  pick.placeholder = rows.length > 0 ? t('Select what to deal with') : t('Nothing needs your attention at the moment.');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = [...rows, { label: '', kind: vscode.QuickPickItemKind.Separator }, ...otherRows(services)];
  void answerIn<Pick<Row, 'run'>>(pick, end => {
    pick.onDidAccept(() => end(pick.selectedItems[0]));
    pick.onDidTriggerItemButton(({ button }) => end(button as NonNullable<Row['buttons']>[number]));
  }).then(chosen => chosen?.run?.());
}

function waitingRows({ servers, marks, questions }: WaitingServices): Row[] {
  const asked = questions.all.map(
    ({ server, message, answer }): Row => ({
      iconPath: new vscode.ThemeIcon('question'),
      label: t('Answer "{0}"', server.name),
      detail: rowText(message, 300),
      run: answer,
    }),
  );
  return [
    ...asked,
    ...reviewAllRow(servers.all.filter(({ state }) => state.kind === 'needsTrust').length),
    ...servers.all.flatMap(server => serverRow(server) ?? []),
    ...servers.all.filter(server => marks.changes(server) > 0).map(changesRow),
  ];
}

/** Those of a workspace wait together, and can be allowed together, unless they wait for trust in the workspace. */
function reviewAllRow(count: number): Row[] {
  if (count < 2 || !vscode.workspace.isTrusted) return [];
  const description = t('{0} need your approval to start', count);
  const reviewAll = () => run('mcpHost.reviewServer');
  return [{ iconPath: queuedIcon('shield'), label: t('Review All…'), description, run: reviewAll }];
}

function serverRow(server: ServerConnection): Row | undefined {
  const { state } = server;
  if (state.kind === 'failed') {
    const remedy = remedyText(state.error);
    const [first = { kind: 'start' } as const] = remediesOf(server);
    return {
      iconPath: stateIcon(state),
      label: rowText(remedyTitle(first, server), 300),
      description: rowText(`${server.name}: ${server.redact(reasonText(state.error))}`, 200),
      ...(remedy && { detail: rowText(server.redact(remedy), 300) }),
      run: () => vscode.commands.executeCommand('mcpHost.applyRemedy', server.id, first),
      buttons: [
        ...(first.kind === 'start'
          ? []
          : [buttonFor('refresh', t('Start'), () => run('mcpHost.startServer', { server }))]),
        buttonFor('output', t('Show Log'), () => run('mcpHost.showServerLog', { server })),
        buttonFor('gear', t('Open Server Settings'), () => run('mcpHost.openServerSettings', { server })),
      ],
    };
  }
  if (state.kind !== 'needsTrust' && state.kind !== 'needsInput' && state.kind !== 'needsAuth') return undefined;
  const labels = {
    needsTrust: t('Review "{0}"', server.name),
    needsInput: t('Enter inputs for "{0}"', server.name),
    needsAuth: t('Sign in to "{0}"', server.name),
  };
  return {
    iconPath: stateIcon(state),
    label: labels[state.kind],
    description: withoutIcons(stateText(server)),
    run: () => run(`mcpHost.${ACTIONS[state.kind as keyof typeof ACTIONS]}`, { server }),
  };
}

const buttonFor = (icon: string, tooltip: string, run: () => unknown) => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
  run,
});

function changesRow(server: ServerConnection): Row {
  return {
    iconPath: queuedIcon('warning'),
    label: t('Review what "{0}" has changed', server.name),
    run: () => run('mcpHost.reviewChanges', { server }),
  };
}

function otherRows({ hasProfiles }: WaitingServices): Row[] {
  const row = (icon: string, label: Row['label'], command: string): Row => ({
    iconPath: new vscode.ThemeIcon(icon),
    label,
    run: () => run(command),
  });
  return [
    row('list-tree', t('Open the Servers View'), 'mcpHost.servers.focus'),
    row('add', t('Add Server…'), 'mcpHost.addServer'),
    row('pulse', t('Show Server Health'), 'mcpHost.showHealth'),
    ...(hasProfiles() ? [row('filter', t('Switch Profile…'), 'mcpHost.switchProfile')] : []),
  ];
}

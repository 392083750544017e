import * as vscode from 'vscode';
import type { PinState } from '../../host/pins';
import { visible, visibleLines } from '../../host/text';
import type { PersonsAnswer, WantedCall } from '../../host/toolCalls';

const { t } = vscode.l10n;
/** Longer arguments do not fit into a dialog: they are opened beside the question. */
const MAX_IN_DIALOG = 3_000;
const MAX_SHOWN = 1_000_000;

/**
 * Asks whether a tool may be called, in a dialog of its own: for calls that come from elsewhere than our chat. Shows the
 * arguments exactly as they would be sent. Closing the dialog allows nothing, and neither does waiting.
 */
export async function askForCall(
  { server, tool, args }: WantedCall,
  pin: PinState,
): Promise<PersonsAnswer | undefined> {
  const once = t('Allow Once');
  const always = t('Always Allow');
  const deny = t('Deny');
  const name = visible(tool.name, 120);
  const question = t('Call {0} of MCP server "{1}"?', name, server.id);
  const shown = visibleLines(JSON.stringify(args, null, 2), MAX_SHOWN);
  const isLong = shown.length > MAX_IN_DIALOG;
  if (isLong) await showBeside(shown);
  const buttons = [once, always, deny];
  const answer = isLong
    ? await vscode.window.showWarningMessage(`${question} ${newsOf(pin)}`.trim(), ...buttons)
    : await vscode.window.showWarningMessage(
        question,
        { modal: true, detail: [newsOf(pin), t('Arguments:'), shown].filter(Boolean).join('\n\n') },
        ...buttons,
      );
  switch (answer) {
    case once:
      return { answer: 'allow' };
    case always:
      return { answer: 'allow', scope: 'workspace' };
    case deny:
      return { answer: 'deny' };
    default:
      return undefined;
  }
}

function newsOf(pin: PinState): string {
  if (pin === 'new') return t('This tool is new: it was not there when you first used this server.');
  return pin === 'changed' ? t('This tool has changed since you accepted it.') : '';
}

async function showBeside(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content, language: 'json' });
  await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
}

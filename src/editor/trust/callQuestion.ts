import * as vscode from 'vscode';
import { visible } from '../../host/text';
import type { AskPerson, PersonsAnswer } from '../../host/toolCalls';
import { askWhole } from '../../loadReview';
import { inQuestion, jsonOf, newsOf } from './argumentsText';

const { t } = vscode.l10n;

/**
 * Asks whether a tool may be called, in a dialog of its own: for calls that come from elsewhere than our chat. Shows the
 * arguments exactly as they would be sent; what does not fit into a dialog is shown, and answered, on a page. Closing either
 * allows nothing, and neither does waiting.
 */
export class CallQuestion implements vscode.Disposable {
  readonly #over = new vscode.CancellationTokenSource();

  readonly ask: AskPerson = async ({ server, tool, args }, pin) => {
    const question = t('Call {0} of MCP server "{1}"?', visible(tool.name, 120), server.id);
    const json = jsonOf(args);
    const { text, isWhole } = inQuestion(json);
    const news = newsOf(pin);
    const said = isWhole
      ? await askInDialog(question, [news, t('Arguments:'), text].filter(Boolean).join('\n\n'))
      : await askWhole(
          {
            title: t('Call {0}?', visible(tool.name, 60)),
            question,
            notes: news ? [news] : [],
            content: { json },
            buttons: choices().map(([title, answer], index) => ({
              answer: String(index),
              title,
              allows: answer.answer === 'allow',
            })),
          },
          this.#over.token,
        ).then(index => choices()[Number(index)]?.[1]);
    // What was shown is what is sent, whoever else holds the object.
    return said?.answer === 'allow' && jsonOf(args) !== json ? undefined : said;
  };

  dispose(): void {
    this.#over.cancel();
  }
}

async function askInDialog(question: string, detail: string): Promise<PersonsAnswer | undefined> {
  const titles = choices().map(([title]) => title);
  const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...titles);
  return choices().find(([title]) => title === chosen)?.[1];
}

/** What the buttons say, and what each of them means. */
const choices = (): [string, PersonsAnswer][] => [
  [t('Allow Once'), { answer: 'allow' }],
  [t('Always Allow'), { answer: 'allow', scope: 'workspace' }],
  [t('Deny'), { answer: 'deny' }],
];

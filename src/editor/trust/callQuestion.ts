import type * as vscode from 'vscode';
import type { PinState } from '../../host/pins';
import { plain, visible } from '../../host/text';
import type { AskPerson, PersonsAnswer } from '../../host/toolCalls';
import { t, window } from '../window';
import { argumentsText } from './argumentsText';
import { ReviewDocuments } from './reviewDocuments';

/** Longer arguments do not fit into a dialog: they are opened beside the question. */
const MAX_IN_DIALOG = 3_000;

/**
 * Asks whether a tool may be called, in a dialog of its own: for calls that come from elsewhere than our chat. Shows the
 * arguments exactly as they would be sent. Closing the dialog allows nothing, and neither does waiting.
 */
export class CallQuestion implements vscode.Disposable {
  readonly #documents = new ReviewDocuments('mcp-call');
  #count = 0;

  readonly ask: AskPerson = async ({ server, tool, args }, pin) => {
    const question = t('Call {0} of MCP server "{1}"?', visible(tool.name, 120), server.id);
    const text = argumentsText(args);
    if (text.length > MAX_IN_DIALOG) return this.#askBeside(question, tool.name, text, pin);
    const detail = [newsOf(pin), t('Arguments:'), text].filter(Boolean).join('\n\n');
    const [titles, answers] = choices();
    const answer = await window.showWarningMessage(question, { modal: true, detail }, ...titles);
    return answers.get(answer);
  };

  dispose(): void {
    this.#documents.dispose();
  }

  /** Beside a document that has to be readable meanwhile. */
  async #askBeside(question: string, name: string, text: string, pin: PinState): Promise<PersonsAnswer | undefined> {
    // The editor closes a notification when another comes with the same text: each names a document of its own.
    const title = `${visible(name, 60)} ${++this.#count}.json`;
    const document = await this.#documents.show(title, text, false);
    const message = [question, newsOf(pin), t('Its arguments are open as "{0}".', title)].filter(Boolean).join(' ');
    try {
      const [titles, answers] = choices();
      return answers.get(await window.showWarningMessage(plain(message), ...titles));
    } finally {
      void this.#documents.close([document]);
    }
  }
}

/** What the buttons say, and what each of them means. */
function choices(): [string[], Map<string | undefined, PersonsAnswer>] {
  const answers = new Map<string | undefined, PersonsAnswer>([
    [t('Allow Once'), { answer: 'allow' }],
    [t('Always Allow'), { answer: 'allow', scope: 'workspace' }],
    [t('Deny'), { answer: 'deny' }],
  ]);
  return [[...answers.keys()] as string[], answers];
}

function newsOf(pin: PinState): string {
  if (pin === 'new') return t('This tool is new: it was not there when you first used this server.');
  return pin === 'changed' ? t('This tool has changed since you accepted it.') : '';
}

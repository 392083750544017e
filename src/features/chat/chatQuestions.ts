import { randomUUID } from 'node:crypto';

import vscode = require('vscode');

import { abortOn } from '../../editor/cancellation';
import { plainMarkdown } from '../../editor/markdown';
import { t, window } from '../../editor/window';
import type { CallChat, ChatQuestion } from '../../host';
import { quotedRows, withSpaces } from '../trust';
import { say } from './approval';

interface Open {
  readonly buttons: ChatQuestion['buttons'];
  readonly onAnswer: (answer: string) => void;
}

/** A `CallChat` until its calls have ended. */
export interface TurnChat extends CallChat {
  /** To be called when the calls have ended. */
  end(): void;
}

/**
 * Questions that come up during a call, asked in the answer of its turn. Each is open until its owner withdraws it; buttons
 * of an earlier question do nothing.
 */
export class CallQuestions {
  readonly #open = new Map<string, Open>();

  /** For calls that a turn makes in parallel. */
  in(stream: vscode.ChatResponseStream, token: vscode.CancellationToken): TurnChat {
    const over = new AbortController();
    return {
      stopped: abortOn(token),
      over: over.signal,
      end: () => over.abort(),
      say: text => {
        // The stream accepts nothing after the turn has ended.
        if (!over.signal.aborted) say(stream, text);
      },
      ask: ({ text, quotes = [], json, note, buttons }, onAnswer) => {
        if (over.signal.aborted) return { dispose: () => undefined };
        const id = randomUUID();
        say(stream, text);
        for (const quote of quotes) stream.markdown(quoted(quote));
        if (json !== undefined) stream.markdown(quotedRows(json));
        if (note !== undefined) stream.markdown(new vscode.MarkdownString(`\n\n_${plainMarkdown(note)}_\n\n`));
        for (const [answer, title] of buttons)
          stream.button({ command: 'mcpHost.answerQuestion', title, arguments: [id, answer] });
        this.#open.set(id, { buttons, onAnswer });
        return { dispose: () => this.#open.delete(id) };
      },
    };
  }

  /** Handles a button of a question. Anything that is not one of its answers leaves it open. */
  answer(id: unknown, choice: unknown): void {
    const open = this.#open.get(String(id));
    if (!open) void window.showInformationMessage(t('This question is no longer open.'));
    else if (open.buttons.some(([answer]) => answer === choice)) open.onAnswer(String(choice));
  }
}

/** Texts as a quotation, because its lines wrap and those of a code block do not. */
function quoted({ by, text }: { by: string; text: string }): vscode.MarkdownString {
  const lines = plainMarkdown(withSpaces(text)).replaceAll('\n', '\n> ');
  return new vscode.MarkdownString(`\n\n> **${plainMarkdown(by)}**  \n> ${lines}\n\n`);
}

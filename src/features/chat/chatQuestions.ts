import { randomUUID } from 'node:crypto';

import vscode = require('vscode');

import { plainMarkdown } from '../../base/text';
import { abortOn } from '../../editor/dialogs';
import type { CommandLink } from '../../editor/markdown';
import { t, window } from '../../editor/window';
import type { CallChat } from '../../host';
import { quotedRows, withSpaces } from '../trust';
import { sayAnswers } from './answerLine';
import { say } from './approval';

/** How many lists of choices stay open: the oldest are not followed any more. */
const MAX_LISTS = 50;

interface Open {
  readonly buttons: readonly (readonly [answer: string, ...unknown[]])[];
  readonly onAnswer: (answer: string) => void;
}

/** One of several things that a person may do, in an answer that asks nothing. */
export interface ChatLink {
  readonly title: string;
  readonly tooltip?: string;
  readonly run: () => unknown;
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
  readonly #lists: string[] = [];

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
        sayAnswers(stream, { command: 'mcpHost.answerQuestion', id, answers: buttons });
        this.#open.set(id, { buttons, onAnswer });
        return { dispose: () => this.#open.delete(id) };
      },
    };
  }

  /** Links that can be followed any number of times. They hold an id and a number, and nothing that a server has sent. */
  links(choices: readonly ChatLink[]): CommandLink[] {
    const id = randomUUID();
    const buttons = choices.map((_, index) => [String(index)] as const);
    this.#open.set(id, { buttons, onAnswer: answer => void choices[Number(answer)]?.run() });
    this.#lists.push(id);
    for (const old of this.#lists.splice(0, this.#lists.length - MAX_LISTS)) this.#open.delete(old);
    return choices.map(({ title, tooltip = title }, index) => ({
      command: 'mcpHost.answerQuestion',
      ...{ title, tooltip },
      arguments: [id, String(index)],
    }));
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

import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { drawingWork, mediaTypeOf } from '../../base/mediaType';
import { formatDuration } from '../../base/numberText';
import { linkLabel, plainMarkdown, visible } from '../../base/text';
import { abortOn } from '../../editor/dialogs';
import { errorText } from '../../editor/errorText';
import { type CommandLink, linkParagraph } from '../../editor/markdown';
import { toolTitle } from '../../editor/serverRows';
import { t, window } from '../../editor/window';
import type { CallChat } from '../../host';
import { imageTypeOf } from '../languageModel';
import { quotedRows, withSpaces } from '../review';
import type { WantedCall } from '../trust';

import vscode = require('vscode');

/** Shows progress. The editor renders it as markdown, so markup in it is escaped. */
export function sayProgress(stream: vscode.ChatResponseStream, text: string): void {
  stream.progress(plainMarkdown(text));
}

/** One line of ours in an answer; nothing in it is markup. */
export function say(stream: vscode.ChatResponseStream, text: string): void {
  stream.markdown(new vscode.MarkdownString(`\n\n${plainMarkdown(text)}\n\n`));
}

/** Of all pictures of a call, in characters: the editor cuts markdown soon after, and keeps it in the history. */
const MAX_SHOWN = 90_000;
const MAX_PIXELS = 50_000_000;
const MAX_PICTURES = 3;

/** How a call ended. `ms`: how long it took; absent when it was not made. `files`: its result, then its pictures. */
interface CallEnd {
  readonly decided: string;
  readonly ms?: number;
  readonly result?: CallToolResult;
  readonly files?: readonly vscode.Uri[];
}

/** Shows the line that remains of a call in an answer: tool, server, decision, duration, link to the result. */
export function sayCallEnd(
  stream: vscode.ChatResponseStream,
  { server, tool }: Pick<WantedCall, 'server' | 'tool'>,
  { decided, ms, result, files = [] }: CallEnd,
): void {
  const wasMade = ms !== undefined;
  const failed = wasMade && (!result || result.isError === true);
  const parts = [visible(server.id, 100), decided];
  if (failed) parts.push(t('failed'));
  if (wasMade) parts.push(formatDuration(ms));
  const icon = wasMade ? (failed ? 'error' : 'check') : 'circle-slash';
  sayLine(stream, { icon, title: toolTitle(tool), parts });
  const alt = plainMarkdown(t('Image'));
  sayFiles(
    stream,
    files,
    thumbnails(result).map(data => `![${alt}](${data}|height=120)`),
  );
}

/** Ends a line with the files that belong to it. @param shown markdown of ours, below it. */
export function sayFiles(
  stream: vscode.ChatResponseStream,
  files: readonly vscode.Uri[],
  shown: readonly string[] = [],
): void {
  for (const file of files) {
    stream.markdown(new vscode.MarkdownString(plainMarkdown(' · '), true));
    stream.anchor(file, linkLabel(file.path.slice(file.path.lastIndexOf('/') + 1)));
  }
  stream.markdown(new vscode.MarkdownString(`\n\n${shown.join('\n\n')}\n\n`, true));
}

interface ChatLine {
  readonly icon: string;
  readonly title: string;
  readonly parts: readonly string[];
  /** Separator after the line; without it, more may be added to the line. */
  readonly end?: '\n\n' | undefined;
}

export function sayLine(stream: vscode.ChatResponseStream, { icon, title, parts, end }: ChatLine): void {
  // The editor joins pieces of markdown into one paragraph only if all of them may have icons.
  stream.markdown(
    new vscode.MarkdownString(
      `\n\n$(${icon}) **${plainMarkdown(title)}** · ${parts.map(plainMarkdown).join(' · ')}${end ?? ''}`,
      true,
    ),
  );
}

/** The small pictures of a result, as `data:` URIs. */
function thumbnails(result: CallToolResult | undefined): string[] {
  const found: string[] = [];
  let [left, pixels] = [MAX_SHOWN, MAX_PIXELS];
  for (const block of result?.content ?? []) {
    if (found.length === MAX_PICTURES) break;
    if (block.type !== 'image' || typeof block.data !== 'string' || block.data.length > left) continue;
    const bytes = Buffer.from(block.data, 'base64');
    const [type, work] = [imageTypeOf(bytes), drawingWork(mediaTypeOf(bytes))];
    if (!type || work === 0 || work > pixels) continue;
    [left, pixels] = [left - block.data.length, pixels - work];
    found.push(`data:${type};base64,${bytes.toString('base64')}`);
  }
  return found;
}

interface AnswerLine {
  readonly command: CommandLink['command'];
  /** Key of the question: the command gets it with the answer, and nothing else. */
  readonly id: string;
  /** In order: the answer, its title, and what it means where the title does not say it. */
  readonly answers: readonly (readonly [answer: string, title: string, tooltip?: string])[];
  /** What the question is about, where that may be out of sight by then. */
  readonly about?: string;
}

/**
 * Shows the first answer as a button, and the others as links in one line below it. They stay in the chat, because the editor
 * lets nothing be taken out of an answer: their command says so when the question has been answered. The editor shows the
 * progress until more follows; and it folds away what stands before that, not only what stands before the links.
 */
export function sayAnswers(stream: vscode.ChatResponseStream, { command, id, answers, about }: AnswerLine): void {
  const [first, ...others] = answers;
  if (first) stream.button({ command, title: first[1], arguments: [id, first[0]] });
  const links = others.map(([answer, title, tooltip = title]) => ({
    command,
    title,
    tooltip,
    arguments: [id, answer],
  }));
  if (links.length > 0) stream.markdown(linkParagraph(links));
  stream.progress(plainMarkdown(about ? t('Waiting for your answer: {0}', about) : t('Waiting for your answer…')));
}

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
  end(): void;
}

/** Questions during a call, asked in the answer of its turn, until their owners withdraw them. */
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
      title,
      tooltip,
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

/** What the model has said so far stays; the error goes on a line below it, which the editor renders as markdown. */
export const failure = (error: unknown) => ({
  errorDetails: { message: plainMarkdown(visible(errorText(error, 1_000), 1_000)) },
});

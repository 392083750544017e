import type * as vscode from 'vscode';
import { plainMarkdown } from '../../base/text';
import { type CommandLink, linkParagraph } from '../../editor/markdown';
import { t } from '../../editor/window';

/** The answers to a question in chat. */
export interface AnswerLine {
  readonly command: CommandLink['command'];
  /** Key of the question: the command gets it with the answer, and nothing else. */
  readonly id: string;
  /** In order: the answer, its title, and what it means where the title does not say it. */
  readonly answers: readonly (readonly [answer: string, title: string, tooltip?: string])[];
}

/**
 * Shows the first answer as a button, and the others as links in one line below it. They stay in the chat, because the editor
 * lets nothing be taken out of an answer: their command says so when the question has been answered. The editor shows the
 * progress until more follows; and it folds away what stands before that, not only what stands before the links.
 */
export function sayAnswers(stream: vscode.ChatResponseStream, { command, id, answers }: AnswerLine): void {
  const [first, ...others] = answers;
  if (first) stream.button({ command, title: first[1], arguments: [id, first[0]] });
  const links = others.map(([answer, title, tooltip = title]) => ({
    command,
    title,
    tooltip,
    arguments: [id, answer],
  }));
  if (links.length > 0) stream.markdown(linkParagraph(links));
  stream.progress(plainMarkdown(t('Waiting for your answer…')));
}

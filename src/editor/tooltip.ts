import vscode = require('vscode');

import { visibleLines } from '../base/text';
import { plainMarkdown } from './markdown';

/** A tooltip of several paragraphs in which nothing is markup, whatever it says. */
export function plainTooltip(paragraphs: readonly (string | undefined)[]): vscode.MarkdownString {
  const shown = paragraphs
    .filter(paragraph => paragraph)
    .map(paragraph => plainMarkdown(visibleLines(paragraph!, 4_000)));
  return new vscode.MarkdownString(shown.join('\n\n'));
}

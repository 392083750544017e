import vscode = require('vscode');

import { visibleLines } from '../base/text';
import { type CommandLink, linkParagraph } from './commandLinks';
import { plainMarkdown } from './markdown';

type Paragraphs = readonly (string | undefined)[];

/** A tooltip with links to remedies below it. Their command does only what is offered for the server at the time. */
export function tooltipWithRemedies(paragraphs: Paragraphs, remedies: readonly CommandLink[]): vscode.MarkdownString {
  return remedies.length > 0 ? linkParagraph(remedies, shown(paragraphs)) : plainTooltip(paragraphs);
}

/** A tooltip of several paragraphs in which nothing is markup, whatever it says. */
export function plainTooltip(paragraphs: Paragraphs): vscode.MarkdownString {
  return new vscode.MarkdownString(shown(paragraphs).map(plainMarkdown).join('\n\n'));
}

const shown = (paragraphs: Paragraphs) =>
  paragraphs.filter(paragraph => paragraph).map(paragraph => visibleLines(paragraph!, 4_000));

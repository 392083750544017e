import * as vscode from 'vscode';
import { visibleLines } from '../host/text';

/** A tooltip in which nothing is markup, whatever it says. */
export function plainTooltip(paragraphs: readonly (string | undefined)[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  for (const paragraph of paragraphs) {
    if (!paragraph) continue;
    if (tooltip.value) tooltip.appendMarkdown('\n\n');
    tooltip.appendText(visibleLines(paragraph, 4_000));
  }
  return tooltip;
}

import vscode = require('vscode');

import { visibleLines } from '../base/text';
import { linkLabel, plainMarkdown } from './markdown';

/**
 * A tooltip with links to remedies below it. Nothing else can be run from it, whatever the paragraphs say: they are escaped, and
 * that command does only what is offered for the server at the time.
 */
export function tooltipWithRemedies(
  paragraphs: readonly (string | undefined)[],
  remedies: readonly vscode.Command[],
): vscode.MarkdownString {
  const tooltip = plainTooltip(paragraphs);
  if (remedies.length === 0) return tooltip;
  const linked = remedies.map(({ command, title, arguments: args }) => {
    const target = `command:${command}?${encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, '\\$&')}`;
    return `[${linkLabel(title)}](${target})`;
  });
  tooltip.value += `\n\n${linked.join(' · ')}`;
  tooltip.isTrusted = { enabledCommands: ['mcpHost.applyRemedy'] };
  return tooltip;
}

/** A tooltip of several paragraphs in which nothing is markup, whatever it says. */
export function plainTooltip(paragraphs: readonly (string | undefined)[]): vscode.MarkdownString {
  const shown = paragraphs
    .filter(paragraph => paragraph)
    .map(paragraph => plainMarkdown(visibleLines(paragraph!, 4_000)));
  return new vscode.MarkdownString(shown.join('\n\n'));
}

import { plainMarkdown, visibleLines } from '../base/text';
import type { CommandName } from './commandNames';

import vscode = require('vscode');

export interface CommandLink {
  readonly command: `mcpHost.${CommandName}`;
  readonly title: string;
  /** Said where the title alone is too short to be understood, as in a list of links. */
  readonly tooltip?: string;
  readonly arguments: readonly unknown[];
}

export const linkParagraph = (links: readonly CommandLink[]): vscode.MarkdownString => trusted(linkLine(links), links);

/** A list of links, each with a text after it in which nothing is markup. */
export function linkList(
  rows: readonly { readonly link: CommandLink; readonly text: string }[],
): vscode.MarkdownString {
  const lines = rows.map(({ link, text }) => `- ${linkLine([link])} ${plainMarkdown(text)}`);
  return trusted(
    lines.join('\n'),
    rows.map(({ link }) => link),
  );
}

function linkLine(links: readonly CommandLink[]): string {
  const made = links.map(({ command, title, tooltip = title, arguments: args }) => {
    const target = `command:${command}?${encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, '\\$&')}`;
    return `[${plainMarkdown(title)}](${target} "${plainMarkdown(tooltip)}")`;
  });
  return made.join(' · ');
}

/** The only markdown that may run commands: those of its links. What is not a link in it was escaped here. */
function trusted(value: string, links: readonly CommandLink[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(`\n\n${value}\n\n`);
  markdown.isTrusted = { enabledCommands: [...new Set(links.map(({ command }) => command))] };
  return markdown;
}

/**
 * A tooltip of several paragraphs in which nothing is markup, whatever it says.
 * @param remedies links below them. Their command does only what is offered for the server at the time.
 * @param below paragraphs below the links.
 */
export function plainTooltip(
  paragraphs: readonly (string | undefined)[],
  remedies: readonly CommandLink[] = [],
  below: readonly (string | undefined)[] = [],
): vscode.MarkdownString {
  const shown = (texts: readonly (string | undefined)[]) =>
    texts.flatMap(text => (text ? visibleLines(text, 4_000) : [])).map(plainMarkdown);
  const links = remedies.length > 0 ? [linkLine(remedies)] : [];
  const value = [...shown(paragraphs), ...links, ...shown(below)].join('\n\n');
  return remedies.length > 0 ? trusted(value, remedies) : new vscode.MarkdownString(value);
}

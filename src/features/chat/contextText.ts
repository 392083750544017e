import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { plainMarkdown } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { say } from './approval';
import type { TurnTools } from './core/turnTools';
import type { ToolOffer } from './toolOffer';

/** Characters of definitions that an answer shows. */
const MAX_SHOWN = 100_000;
/** How many servers a line names. */
const MAX_NAMED = 8;

/** The content of the first request to a model. */
export interface Preview {
  readonly system: string;
  readonly tools: TurnTools;
  /** How many earlier questions go along, with their answers. */
  readonly earlier: number;
}

/** Shows, word for word, what a model gets with a question besides the question itself. */
export function showContext({ system, tools, earlier }: Preview, stream: vscode.ChatResponseStream): void {
  const { definitions, tokens, isDeferred, byName } = tools;
  stream.markdown(heading(t('Instructions for the model')));
  stream.markdown(quoted(system));
  stream.markdown(heading(t('Tools')));
  const count = verbatim('{0} definitions of tools, about {1} tokens.', definitions.length, numberText(tokens));
  say(
    stream,
    isDeferred ? `${count} ${t('There are {0} tools; the model searches for the others.', byName.size)}` : count,
  );
  const shown = definitions.map(definition => JSON.stringify(definition)).join('\n');
  stream.markdown(quoted(shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown));
  stream.markdown(heading(t('Conversation')));
  say(stream, t('Earlier questions with their answers: {0}. Your question and its attachments follow them.', earlier));
}

/** One line about the tokens that the definitions of all servers need. */
export function costLine(servers: readonly ServerConnection[], offer: Pick<ToolOffer, 'cost'>, budget: number): string {
  const costs = servers
    .map(server => ({ server, ...offer.cost(server) }))
    .filter(({ tools }) => tools.length > 0)
    .sort((one, other) => other.tokens - one.tokens);
  const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  const each = costs.slice(0, MAX_NAMED).map(cost => `${cost.server.id} ${numberText(cost.tokens)}`);
  const named = each.join(', ');
  const line = verbatim(
    'The definitions of these tools are about {0} tokens: {1}.',
    numberText(tokens),
    costs.length > each.length ? verbatim('{0} and others', named) : named,
  );
  if (tokens <= budget) return line;
  return `${line} ${verbatim('At most {0} are sent ("mcpHost.chat.toolTokens"): the model gets those that fit the question, and searches for the others.', numberText(budget))}`;
}

function heading(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(`\n\n### ${plainMarkdown(text)}\n\n`);
}

/** In a block whose fence is longer than any in the text. */
function quoted(text: string): vscode.MarkdownString {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return new vscode.MarkdownString(`${fence}text\n${text}\n${fence}\n`);
}

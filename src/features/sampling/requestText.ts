import { plain, visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { SamplingParams } from './core/checkRequest';

interface Described {
  server: string;
  params: SamplingParams;
  /** Titles of the tools that the server is working on. */
  tools: readonly string[];
  /** The name of the extension or the agent that has called them. */
  client?: string | undefined;
  tokens: number;
  /** Its name. */
  model: string;
  /** How many more are waiting. */
  waiting: number;
}

/** The text of a notification about a request: who asks, why, which model, and how much. */
export function describeRequest({ server, params, tools, client, tokens, model, waiting }: Described): string {
  const named = tools.map(tool => visible(tool, 60)).join(', ');
  const who =
    tools.length === 0
      ? verbatim('MCP server "{0}" requests an answer from a language model.', server)
      : client === undefined
        ? verbatim('MCP server "{0}" requests an answer from a language model, for {1}.', server, named)
        : verbatim(
            'MCP server "{0}" requests an answer from a language model, for {1}, which {2} has called.',
            server,
            named,
            visible(client, 60),
          );
  const count = params.messages.length;
  const messages = count === 1 ? t('1 message') : t('{0} messages', count);
  const what = verbatim('{0}: {1}, about {2} tokens.', visible(model, 60), messages, tokens);
  const more = waiting > 0 ? ` ${t('{0} more are waiting.', waiting)}` : '';
  return plain(`${who} ${what}${more}`);
}

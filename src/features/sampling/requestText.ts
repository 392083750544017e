import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import type { SamplingParams } from './core/checkRequest';

const { t } = vscode.l10n;

interface Described {
  server: string;
  params: SamplingParams;
  /** Titles of the tools that the server is working on. */
  tools: readonly string[];
  tokens: number;
  /** Its name. */
  model: string;
  /** How many more are waiting. */
  waiting: number;
}

/** The text of a notification about a request: who asks, why, which model, and how much. */
export function describeRequest({ server, params, tools, tokens, model, waiting }: Described): string {
  const who =
    tools.length === 0
      ? t('MCP server "{0}" requests an answer from a language model.', server)
      : t(
          'MCP server "{0}" requests an answer from a language model, for {1}.',
          server,
          tools.map(tool => visible(tool, 60)).join(', '),
        );
  const count = params.messages.length;
  const messages = count === 1 ? t('1 message') : t('{0} messages', count);
  const what = t('{0}: {1}, about {2} tokens.', visible(model, 60), messages, tokens);
  const more = waiting > 0 ? ` ${t('{0} more are waiting.', waiting)}` : '';
  return plain(`${who} ${what}${more}`);
}

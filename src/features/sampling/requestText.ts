import { plain, visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { RunningCall } from '../../host';
import { clientOf } from '../clients';
import type { SamplingParams } from './core/checkRequest';

interface DescribedRequest {
  readonly running: readonly RunningCall[];
  readonly server: string;
  readonly params: SamplingParams;
  readonly tokens: number;
  /** Its name. */
  readonly model: string;
  readonly waiting: number;
}

/** The text of a notification about a request: who asks, why, which model, and how much. */
export function requestText({ server, params, running, tokens, model, waiting }: DescribedRequest): string {
  const who = whoRequests(server, running);
  const count = params.messages.length;
  const messages = count === 1 ? t('1 message') : t('{0} messages', count);
  const what = verbatim('{0}: {1}, about {2} tokens.', visible(model, 60), messages, tokens);
  const more = waiting > 0 ? ` ${t('{0} more are waiting.', waiting)}` : '';
  return plain(`${who} ${what}${more}`);
}

function whoRequests(server: string, running: DescribedRequest['running']) {
  if (running.length === 0) return verbatim('MCP server "{0}" requests an answer from a language model.', server);
  const tools = running.map(({ tool }) => visible(tool.title ?? tool.name, 60)).join(', ');
  const client = clientOf(running)?.name;
  return client === undefined
    ? verbatim('MCP server "{0}" requests an answer from a language model, for {1}.', server, tools)
    : verbatim(
        'MCP server "{0}" requests an answer from a language model, for {1}, which {2} has called.',
        server,
        tools,
        visible(client, 60),
      );
}

import type { GetPromptResult } from '@modelcontextprotocol/client';
import { HostError } from '../../../base/errors';
import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { ServerConnection } from '../../../host';
import type { Pins } from './pins';

/**
 * Waits for a server that comes up, or starts because it is used, and for what it lists then: what it listed in an earlier
 * session is not what it offers. What is wrong with it is left to the request to say.
 */
export async function listedAgain(
  server: ServerConnection,
  kind: 'tools' | 'prompts',
  signal: AbortSignal | undefined,
): Promise<void> {
  const { status, cached, items } = server.catalog.list(kind);
  const isListed = !cached && (items.length > 0 || status !== 'loading');
  if (server.state.kind === 'ready' && isListed) return;
  try {
    await server.request('start', async () => undefined, { signal });
    await server.catalog.loaded(kind);
  } catch {}
}

/** Gets a prompt, unless it is not what was accepted: as the server lists it now, not as it was when it was chosen. */
export async function promptOf(
  pins: Pick<Pins, 'load' | 'blocksPrompt'>,
  server: ServerConnection,
  name: string,
  args: Record<string, string>,
  signal?: AbortSignal,
): Promise<GetPromptResult> {
  await listedAgain(server, 'prompts', signal);
  await pins.load(server);
  const changed = server.catalog.prompts.some(prompt => prompt.name === name && pins.blocksPrompt(server, prompt));
  if (!changed) return server.getPrompt(name, args, signal);
  throw new HostError({
    code: 'CHANGED',
    server: server.name,
    action: phrase('get the prompt {0}', visible(name)),
    reason: phrase('it has changed since it was accepted'),
    remedy: phrase('To review the change, run "MCP Host: Review Changes…".'),
  });
}

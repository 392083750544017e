import type { Prompt } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import { verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { Pins } from '../trust';

/** Why a prompt must not be run: it is not what was accepted (`Pins`). Undefined: it may be run. */
export async function promptRefusal(pins: Pins, server: ServerConnection, prompt: Prompt): Promise<string | undefined> {
  await pins.load(server);
  if (!pins.blocksPrompt(server, prompt)) return undefined;
  return verbatim(
    'Prompt {0} from MCP server "{1}" is blocked because it has changed since you accepted it. To run it, review and accept the change.',
    visible(prompt.name, 80),
    server.name,
  );
}

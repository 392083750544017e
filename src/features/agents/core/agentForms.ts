import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { ownMember } from '../../../base/json';
import { restored } from '../../../base/modelData';
import type { Phrase } from '../../../base/phrase';
import type { ClientNames, ToolConversion } from '../../../gateway';
import { argumentsForServer, resultAsText, schemaForModel } from '../../languageModel/core';

/** Agents replace all other characters, each by one of its own, and two names that become equal are one tool to them. */
export const AGENT_NAMES: ClientNames = { kept: 64, replaced: /[^a-z0-9]/gi };

const GEMINI_CLI = 'gemini-cli-mcp-client';
/**
 * Agents, by declared names, whose models get structured content *for* texts and links, or never; texts run together; or nothing
 * of links, sounds and pictures.
 */
const READ_ONE_TEXT = [
  'claude-code',
  'codex-mcp-client',
  'copilot-cli',
  'github-copilot-developer',
  GEMINI_CLI,
  'opencode',
];

/** The form of results for an agent. Undefined: it gets the server's own. */
export const resultFormFor = (
  client: string | undefined,
): ((result: CallToolResult, problem: Phrase | undefined) => CallToolResult) | undefined =>
  client !== undefined && READ_ONE_TEXT.includes(client) ? resultAsText : undefined;

const takesObject = ({ inputSchema }: Tool): boolean => (inputSchema as { type?: unknown }).type === 'object';

/** A tool for an agent. Some lose all tools of a server for one whose schema does not say that it takes an object. */
export function toolForAgent(tool: Tool, client: string | undefined): Tool {
  const made = takesObject(tool) ? undefined : schemaForModel(tool);
  const { outputSchema, ...others } = tool;
  return {
    ...others,
    ...(made && !('problem' in made) && { inputSchema: made.schema as Tool['inputSchema'] }),
    ...(outputSchema && resultFormFor(client) === undefined && { outputSchema }),
  };
}

/** Arguments in the terms of the server, of those that an agent gave for `toolForAgent`. */
export const conversionFor = (client: string | undefined): Pick<ToolConversion, 'argumentsFor' | 'schemaFor'> => ({
  schemaFor: (_, tool) => tool.inputSchema,
  argumentsFor(tool, given) {
    const args = client === GEMINI_CLI ? withoutItsOwn(tool, given) : given;
    return takesObject(tool) ? { args: restored(tool.inputSchema, args) } : argumentsForServer(tool, args);
  },
});

/** Gemini CLI offers `wait_for_previous` with each tool, for itself, and sends it on. Servers refuse arguments that they do not know. */
function withoutItsOwn({ inputSchema }: Tool, given: Record<string, unknown>): Record<string, unknown> {
  if (ownMember(inputSchema.properties, 'wait_for_previous') !== undefined) return given;
  const { wait_for_previous: _, ...args } = given;
  return args;
}

// Which tools the client under test calls, and with what.
import type { Tool } from '@modelcontextprotocol/client';

export interface Call {
  tool: Tool;
  args: Record<string, unknown>;
  /** The arguments are made and checked, and not sent: the scenario's server has no `tools/call`. */
  dryRun?: boolean;
}

/** `MCP_CONFORMANCE_CONTEXT`: some scenarios say what they want to be called with. */
export interface Context {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

/** Every tool once, with the arguments that the scenario asks for, or with simple values for the required ones. */
export function callsFor(scenario: string, tools: readonly Tool[], { toolCalls }: Context): Call[] {
  if (scenario === 'json-schema-2020-12-preservation') return echoSchema(tools);
  return tools.map(tool => ({
    tool,
    args: toolCalls?.find(({ name }) => name === tool.name)?.arguments ?? requiredArguments(tool),
    dryRun: scenario === 'json-schema-ref-no-deref',
  }));
}

/** The scenario wants the schema of its first tool back, to see whether anything got lost. */
function echoSchema(tools: readonly Tool[]): Call[] {
  const echo = tools.find(({ name }) => name === 'json_schema_echo');
  const focal = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  return echo && focal ? [{ tool: echo, args: { schema: focal.inputSchema } }] : [];
}

const simpleValues: Record<string, unknown> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  null: null,
};

function requiredArguments({ inputSchema: { properties = {}, required = [] } }: Tool): Record<string, unknown> {
  return Object.fromEntries(
    required.map(name => {
      const { type } = (properties[name] ?? {}) as { type?: unknown };
      return [name, simpleValues[String(type)] ?? null];
    }),
  );
}

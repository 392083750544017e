// The client under test: our host core, made to do what a scenario of the conformance suite asks for.
//   client.js <server URL>     started by the suite, with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT
// Works through everything that the server offers, by the same calls that the editor makes; exit code 1 when one failed.
import type { ElicitResult } from '@modelcontextprotocol/client';
import { defaultsOf, fieldsOf } from '../../src/editor/elicitation/formFields';
import { type ElicitationPort, type ServerConnection, schemaProblem } from '../../src/host';
import { TestHost } from '../unit/host/testHost';
import { type Call, callsFor } from './calls';

/** A person who takes every form as it is. */
const answersWithDefaults: ElicitationPort = {
  capability: () => ({ form: {}, url: {} }),
  elicit: async (_server, params) =>
    params.mode === 'url'
      ? { action: 'decline' }
      : {
          action: 'accept',
          content: defaultsOf(fieldsOf(params.requestedSchema, schemaProblem)) as ElicitResult['content'],
        },
  visit: async () => false,
  completed: () => {},
};

/** Longer than any scenario of the suite needs; the suite itself allows a client 30 s. */
const START_MS = 20_000;

async function main(url: string): Promise<void> {
  const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
  const host = new TestHost({ elicitation: answersWithDefaults });
  try {
    host.configure({ server: { type: 'http', url, timeouts: { startMs: START_MS, requestMs: 10_000 } } });
    const server = await ready(host);
    const { status, error } = server.catalog.list('tools');
    if (status === 'failed') throw error;
    await attempt(callsFor(scenario, server.catalog.tools, JSON.parse(context)).map(call => () => use(server, call)));
    await attempt(
      server.catalog.prompts.map(
        ({ name }) =>
          () =>
            server.getPrompt(name, {}),
      ),
    );
    await attempt(
      server.catalog.resources.map(
        ({ uri }) =>
          () =>
            server.readResource(uri),
      ),
    );
  } finally {
    for (const { level, data } of host.logs) console.error(`[${level}]`, data);
    await host.close();
  }
}

/** Waits until the server's lists are loaded. A failed start is thrown at once. */
async function ready(host: TestHost): Promise<ServerConnection> {
  const server = host.server('server');
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (server.state.kind === 'ready') resolve();
      else if (server.state.kind === 'failed') reject(server.state.error);
    };
    server.onDidChangeState(look);
    look();
  });
  return host.loads('server');
}

/** Checks the arguments as the editor does before it calls: that must never fetch what a schema refers to. */
async function use(server: ServerConnection, { tool, args, dryRun = false }: Call): Promise<void> {
  console.log(tool.name, 'problem of the arguments:', schemaProblem(tool.inputSchema, args));
  if (!dryRun) console.log(tool.name, JSON.stringify(await server.callTool(tool, args)));
}

/** Runs one after another. A failure is told, and does not keep the rest from being done. */
async function attempt(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      fail(error);
    }
  }
}

function fail(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}

main(process.argv[2] ?? '')
  .catch(fail)
  .finally(() => process.exit());

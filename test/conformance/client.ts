// The client under test: our host core, made to do what a scenario of the conformance suite asks for.
//   client.js <server URL>     started by the suite, with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT
// Works through everything that the server offers, by the same calls that the editor makes; exit code 1 when one failed.
import type { ElicitResult } from '@modelcontextprotocol/client';
import { fieldsOf, visibleDefaults } from '../../src/features/elicitation/core/formFields';
import { SkillLists } from '../../src/features/skills/core/skillLists';
import { type ServerConnection, type ServerState, schemaProblem } from '../../src/host';
import type { ElicitationPort } from '../../src/host/definition';
import { servesSkills } from '../../src/host/sdk/serverInfo';
import { waitFor } from '../servers/spawn';
import { raw, unasked } from '../setup/raw';
import { TestAuth } from '../unit/host/testAuth';
import { TestHost } from '../unit/host/testHost';
import { type Call, type Context, callsFor } from './calls';
import { type AuthContext, CLIENT_METADATA_URL, oauthFor } from './oauth';

/** A person who takes every form as it is. */
const answersWithDefaults: ElicitationPort = {
  capability: () => ({ form: {}, url: {} }),
  elicit: async (_server, params) =>
    params.mode === 'url'
      ? { action: 'decline' }
      : {
          action: 'accept',
          content: visibleDefaults(fieldsOf(params.requestedSchema)) as ElicitResult['content'],
        },
  visit: async () => false,
  completed: () => {},
};

/** Longer than any scenario of the suite needs; the suite itself allows a client 30 s. */
const START_MS = 20_000;

/** A server may send the client to sign in again; one that never has enough must not keep it busy for ever. */
const MAX_SIGN_INS = 3;

async function main(url: string): Promise<void> {
  const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;
  const context = JSON.parse(MCP_CONFORMANCE_CONTEXT) as Context & AuthContext;
  const auth = Object.assign(new TestAuth(), { clientMetadataUrl: CLIENT_METADATA_URL });
  const host = new TestHost({ auth, elicitation: answersWithDefaults });
  try {
    const timeouts = { startMs: START_MS, requestMs: 10_000 };
    host.configure({ server: { type: 'http', url, timeouts, ...oauthFor(scenario, context) } });
    const server = host.server('server');
    let signIns = 0;
    /** Signs in as often as it takes, until the server is ready and its lists are loaded. */
    const ready = async (): Promise<void> => {
      const state = await settled(server);
      if (state.kind === 'failed') throw state.error;
      if (state.kind === 'ready') {
        await waitFor(() => server.state !== state || isLoaded(server), { what: 'its lists', timeoutMs: START_MS });
        if (server.state === state) return;
      } else if (state.kind === 'needsAuth') {
        if (signIns++ === MAX_SIGN_INS) throw new Error(`it asked for a sign-in more than ${MAX_SIGN_INS} times`);
        await server.account.signIn(AbortSignal.timeout(START_MS));
      }
      await ready();
    };
    await ready();
    const { status, error } = server.catalog.list('tools');
    if (status === 'failed') throw error;
    const steps: (() => Promise<unknown>)[] = [
      ...callsFor(scenario, server.catalog.tools, context).map(call => () => use(server, call)),
      ...server.catalog.prompts.map(
        ({ name }) =>
          () =>
            raw(server).getPrompt(name, {}),
      ),
      ...server.catalog.resources.map(
        ({ uri }) =>
          () =>
            raw(server).readResource(uri),
      ),
    ];
    if (servesSkills(server)) steps.push(...(await skillSteps(server, scenario)));
    await attempt(steps, async () => {
      if (server.state.kind !== 'needsAuth') return false;
      await ready();
      return true;
    });
  } finally {
    for (const { level, data } of host.logs) console.error(`[${level}]`, data);
    await host.close();
  }
}

/** Skills are listed; each is loaded with its files, unless the scenario is about what happens before anybody wants one. */
async function skillSteps(server: ServerConnection, scenario: string): Promise<(() => Promise<unknown>)[]> {
  const lists = new SkillLists(unasked);
  await lists.loaded(server);
  if (scenario === 'sep-2640-client-no-prefetch') return [];
  return lists.skills(server).map(skill => async () => {
    for (const { path } of skill.files) await lists.read(server, skill, path, { requests: unasked });
  });
}

function isLoaded({ catalog }: ServerConnection): boolean {
  return (['tools', 'prompts', 'resources'] as const).every(kind => catalog.list(kind).status !== 'loading');
}

/** Waits until the server has been started, or can't be. */
async function settled(server: ServerConnection): Promise<ServerState> {
  const { state } = server;
  if (state.kind !== 'starting' && state.kind !== 'stopped') return state;
  await new Promise<void>(resolve => server.onDidChangeState(() => resolve()));
  return settled(server);
}

/** Checks the arguments as the editor does before it calls: that must never fetch what a schema refers to. */
async function use(server: ServerConnection, { tool, args, dryRun = false }: Call): Promise<void> {
  console.log(tool.name, 'problem of the arguments:', schemaProblem(tool.inputSchema, args));
  if (!dryRun) console.log(tool.name, JSON.stringify(await raw(server).callTool(tool, args)));
}

/**
 * Runs one after another. A failure is told, and does not keep the rest from being done.
 * @param mend after a failure: whether the step is worth another try.
 */
async function attempt(steps: readonly (() => Promise<unknown>)[], mend: () => Promise<boolean>): Promise<void> {
  for (const step of steps) {
    try {
      await step().catch(async error => {
        if (!(await mend())) throw error;
        await step();
      });
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

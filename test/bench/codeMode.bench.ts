// Ten tasks with the tools of three servers from npm: tokens that go to the model when it calls tools, and when it writes
// scripts that do (code mode). The model is scripted; servers, definitions, texts, results and scripts are real.
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { resolvedTo, scriptText } from '../../src/features/chat/core/scriptText';
import { systemText } from '../../src/features/chat/core/systemText';
import { TurnTools } from '../../src/features/chat/core/turnTools';
import { DEFAULT_LIMITS, runScript } from '../../src/features/codeMode/core';
import { planToolResult, textOfParts } from '../../src/features/languageModel/core';
import { providerSchema } from '../../src/features/languageModel/core/providerSchema';
import { ToolIndex } from '../../src/features/languageModel/core/relevance';
import {
  type DefinedTool,
  type Definition,
  nameTools,
  RUN_SCRIPT,
} from '../../src/features/languageModel/core/toolNames';
import { npmServerPath } from '../servers/npm';
import { inRepository } from '../setup/paths';
import { type Task, type TaskCall, tasksIn, writeProject } from './codeMode/tasks';
import { type BenchRow, relative } from './row';

/** As the settings have them if nobody changes them. */
const limits = { maxTools: 128, maxTokens: 8_000 };
const maxChars = 32_000;
const servers = ['filesystem', 'memory', 'everything'] as const;
type Clients = Record<(typeof servers)[number], Client>;

const tokens = (text: string) => Math.ceil(text.length / 4);

export async function* rows(): AsyncGenerator<BenchRow> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-code-mode-')));
  const clients = {} as Clients;
  try {
    writeProject(folder);
    for (const name of servers) clients[name] = await connect(name, folder);
    const defined = await definedTools(clients);
    const tasks = tasksIn(folder);
    const sums = { calls: 0, scripts: 0 };
    for (const [at, task] of tasks.entries()) {
      const calls = await withCalls(task, offered(defined, task, false), clients);
      const scripts = await withScripts(task, offered(defined, task, true), clients);
      sums.calls += calls;
      sums.scripts += scripts;
      yield relative(`code mode: task ${at + 1}, ${task.rounds.flat().length} calls`, scripts, 'tokens', calls, 1);
    }
    yield relative('code mode: ten tasks', sums.scripts, 'tokens', sums.calls, 0.5);
  } finally {
    for (const client of Object.values(clients)) await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connect(name: keyof Clients, folder: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [npmServerPath(name), ...(name === 'filesystem' ? [folder] : [])],
    env: { ...(process.env as Record<string, string>), MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

async function definedTools(clients: Clients): Promise<readonly DefinedTool[]> {
  const listed = await Promise.all(
    servers.map(async server => {
      const { tools } = await clients[server].listTools();
      return tools.map(tool => ({ serverId: server, serverName: server, tool }));
    }),
  );
  return nameTools(listed.flat()).flatMap(named => {
    const made = providerSchema(named.tool.inputSchema);
    if ('problem' in made) return [];
    const description = `${named.serverName}: ${named.tool.description ?? named.tool.name}`.slice(0, 2_000);
    const definition = { name: named.name, description, inputSchema: made.schema };
    return [{ ...named, definition }];
  });
}

function offered(tools: readonly DefinedTool[], { ask }: Task, inScripts: boolean): TurnTools {
  const byName = new Map(tools.map(tool => [tool.name, tool]));
  const count = (definition: Definition) => tokens(JSON.stringify(definition));
  const index = new ToolIndex(tools);
  return new TurnTools(byName, new Map(), {
    limits: { ...limits, inScripts },
    tokensOf: count,
    index: () => index,
    wanted: { question: ask },
  });
}

/** What every request of a turn begins with. */
function beginning(task: Task, turn: TurnTools): number {
  const told = servers.map(name => ({
    name,
    isReady: true,
    tools: [...turn.byName.values()].filter(({ serverName }) => serverName === name).map(({ tool }) => tool.name),
  }));
  const whereabouts = { date: '2026-11-22', platform: 'Linux', folders: ['/home/me/project'] };
  const system = systemText(told, whereabouts, turn.isDeferred, { declarations: turn.declarations });
  return tokens(system) + tokens(JSON.stringify(turn.definitions)) + tokens(task.ask);
}

/** The tokens of all requests of a turn: each has what came before, and the last one is for the answer. */
function sumOf(start: number, rounds: readonly number[]): number {
  let [sum, sent] = [start, start];
  for (const round of rounds) {
    sent += round;
    sum += sent;
  }
  return sum;
}

async function withCalls(task: Task, turn: TurnTools, clients: Clients): Promise<number> {
  const rounds: number[] = [];
  for (const round of task.rounds) {
    let size = 0;
    for (const call of round) {
      const { parts } = planToolResult(await made(call, clients), { images: false, maxChars });
      const [server, tool, args] = call;
      size += tokens(`${server}__${tool}${JSON.stringify(args)}`) + tokens(textOfParts(parts));
    }
    rounds.push(size);
  }
  return sumOf(beginning(task, turn), rounds);
}

async function withScripts(task: Task, turn: TurnTools, clients: Clients): Promise<number> {
  const rounds: number[] = [];
  let last = '';
  for (const script of task.scripts) {
    const ended = await runScript({
      script,
      limits: DEFAULT_LIMITS,
      program: inRepository('dist/script-worker.js'),
      signal: new AbortController().signal,
      call: async (name, args) => {
        const { serverName, tool } = turn.toolOf(name)!;
        return JSON.stringify(resolvedTo(await made([serverName as TaskCall[0], tool.name, args], clients)));
      },
    });
    last = scriptText(ended);
    rounds.push(tokens(RUN_SCRIPT + JSON.stringify({ script })) + tokens(last));
  }
  assert.match(last, task.finds, task.ask);
  return sumOf(beginning(task, turn), rounds);
}

async function made([server, name, args]: TaskCall, clients: Clients): Promise<CallToolResult> {
  const result = await clients[server].callTool({ name, arguments: args as Record<string, unknown> });
  assert.ok(!result.isError, JSON.stringify(result.content));
  return result as CallToolResult;
}

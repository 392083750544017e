// npm run compat -- harness [copilot claude codex]: the programs that run the editor's own chats, at pinned versions, with the bridge
// that the editor starts for them and a scripted model of this machine. Prints what the model gets of ten results in each, beside what a
// model of `@mcp` reads; and for Copilot what a person is asked, and what a reload, a proxy, a long question and *Stop* do.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chatCardIn } from '../../src/features/agents/core';
import { planToolResult } from '../../src/features/languageModel/core';
import { exportText } from '../../src/features/setup/core/exportText';
import { startHttpServer, waitFor } from '../servers/spawn';
import { RESULTS } from '../servers/tenResults';
import { installOnce, npmFlags } from '../setup/onDemand';
import { cache, remove, temporaryFolder } from '../setup/paths';
import { run } from '../setup/processes';
import { ChatsHome, type TestChats } from '../unit/features/nativeChat/core/testChats';
import { fixture } from '../unit/host/testHost';
import { CLIENTS } from './clientPrograms';
import type { Outcome } from './part';
import { ScriptedModel } from './scriptedModel';

/** The newest of the day on which this was written. */
const PINNED = {
  copilot: ['@github/copilot-sdk@1.0.14'],
  claude: ['@anthropic-ai/claude-code@2.1.332'],
  codex: ['@openai/codex@0.171.0'],
} as const;
type Client = keyof typeof PINNED;
const PROGRAMS: Readonly<Record<Exclude<Client, 'copilot'>, string>> = { claude: 'Claude Code', codex: 'Codex' };
const SERVER = 'results';
const names = Object.keys(RESULTS);

/** What failed, by the name of the check; undefined: it holds. */
type Checks = Map<string, string | undefined>;

export async function harness(args: string[], signal: AbortSignal): Promise<Outcome> {
  const chosen = (Object.keys(PINNED) as Client[]).filter(name => args.length === 0 || args.includes(name));
  const checks: Checks = new Map();
  for (const client of chosen) {
    if (signal.aborted) break;
    const packages = await installed(client);
    await results(client, packages, checks, signal);
    if (client === 'copilot')
      for (const [name, check] of Object.entries(COPILOT))
        await one(checks, `copilot: ${name}`, () => withCopilot(packages, check));
  }
  const lines = [...checks].map(([name, failure]) => (failure ? `✘ ${name}: ${failure}` : `✔ ${name}`));
  const failed = [...checks.values()].filter(Boolean).length;
  return { lines, passed: checks.size - failed, failed };
}

async function one(checks: Checks, name: string, check: () => Promise<void>): Promise<void> {
  const failure = await check().then(
    () => undefined,
    error =>
      String(error instanceof Error ? error.message : error)
        .split('\n', 4)
        .join(' '),
  );
  checks.set(name, failure);
  console.log(failure ? `✘ ${name}: ${failure}` : `✔ ${name}`);
}

/** With its program for this system, which is an optional package of it. No install script is run. */
async function installed(client: Client): Promise<string> {
  const folder = path.join(cache, `harness-${client}`);
  await installOnce(folder, PINNED[client].join(), async target => {
    console.error(`Installing ${PINNED[client].join(' ')} (npm) …`);
    fs.writeFileSync(path.join(target, 'package.json'), '{ "private": true }');
    await run('npm', ['install', ...npmFlags, ...PINNED[client]], { cwd: target, timeoutMs: 900_000 });
  });
  return folder;
}

const entryOf = (home: ChatsHome, server: string) => [
  home.bridge,
  '--server',
  server,
  '--card',
  chatCardIn(home.folder, 'w1'),
];
const fixtures = () => ({ [SERVER]: fixture('tenResults') });

/** The results, one after the other, in one conversation. */
async function results(client: Client, packages: string, checks: Checks, signal: AbortSignal): Promise<void> {
  const home = new ChatsHome();
  const model = new ScriptedModel(names);
  try {
    const address = await model.listen();
    const asked: string[] = [];
    const window = await home.chats(fixtures());
    window.ask = async ({ tool }) => {
      asked.push(tool.name);
      return { answer: 'allow' };
    };
    let said = '';
    if (client === 'copilot') {
      const session = await copilot(packages, home, address, { [SERVER]: entryOf(home, SERVER) });
      await session.ask();
      await session.stop();
    } else {
      const program = CLIENTS.find(({ name }) => name === PROGRAMS[client]);
      const http = { url: '', headers: {} };
      const place = {
        packages,
        home: home.folder,
        bridge: home.bridge,
        model: address,
        http,
        signal,
        args: entryOf(home, SERVER),
      };
      said = (await program?.run(place)) ?? '';
    }
    if (model.told.length < names.length) console.log(said.slice(-2_000), model.asked.slice(-5).join('\n'));
    for (const [at, name] of names.entries()) {
      const got = textOf(model.told[at]);
      const read = planToolResult(RESULTS[name]!, { images: true, maxChars: 32_000 }).parts;
      console.log(
        `\n--- ${client}, ${name}\n@mcp: ${shown(read.map(part => (part.kind === 'text' ? part.text : '[picture]')).join('\n'))}\n${client}: ${shown(got)}`,
      );
      await one(checks, `${client}: ${name}`, async () => {
        if (!/mark/.test(got) || !got.includes(name === 'inside' ? 'inside' : name.split('_')[0]!))
          throw new Error(`the model got ${shown(got)}`);
        if (name === 'more_than_structure' && !got.includes('"items"')) throw new Error('the structure is missing');
        if (name === 'two_texts' && !/two_texts\s+and the second/.test(got.replaceAll('\\n', '\n')))
          throw new Error('the texts are glued');
        if (name === 'failed' && !/tool failed/.test(got)) throw new Error('no error mark');
      });
    }
    await one(checks, `${client}: each call was asked about in the window`, async () => {
      if (asked.join() !== names.join()) throw new Error(`asked about ${asked.join()}`);
    });
  } finally {
    await Promise.allSettled([home.close(), model.close()]);
  }
}

const shown = (text: string) =>
  (text.length > 300 ? `${text.slice(0, 300)} … (${text.length})` : text).replaceAll('\n', ' ⏎ ');

/** All texts in what a model was told of a call, in whatever language. */
function textOf(told: unknown): string {
  if (typeof told === 'string') return told;
  if (Array.isArray(told)) return told.map(textOf).join('\n');
  return typeof told === 'object' && told !== null ? Object.values(told).map(textOf).join('\n') : '';
}

interface CopilotModule {
  readonly CopilotClient: new (
    options: object,
  ) => {
    start(): Promise<void>;
    stop(): Promise<unknown>;
    createSession(config: object): Promise<{
      sendAndWait(message: { prompt: string }, timeoutMs: number): Promise<unknown>;
      abort(): Promise<void>;
    }>;
  };
}

interface CopilotSession {
  /** What the runtime asked, which no person would see the arguments of. */
  readonly permissions: readonly unknown[];
  ask(): Promise<unknown>;
  abort(): Promise<void>;
  stop(): Promise<void>;
}

/** A session with the options that the editor gives. @param env more variables. */
async function copilot(
  packages: string,
  home: ChatsHome,
  model: string,
  servers: Readonly<Record<string, readonly string[]>>,
  { env = {}, timeout }: { env?: Record<string, string>; timeout?: number } = {},
): Promise<CopilotSession> {
  const entry = createRequire(path.join(packages, 'package.json')).resolve('@github/copilot-sdk');
  const { CopilotClient } = (await import(pathToFileURL(entry).href)) as CopilotModule;
  const own = temporaryFolder();
  const editors = {
    COPILOT_MCP_APPS: 'true',
    AUTO_APPROVAL: 'true',
    COPILOT_CLI_RUN_AS_NODE: '1',
    USE_BUILTIN_RIPGREP: 'false',
  };
  const client = new CopilotClient({
    env: { ...process.env, ...editors, COPILOT_HOME: own, COPILOT_OFFLINE: 'true', ...env },
  });
  await client.start();
  const permissions: unknown[] = [];
  const session = await client.createSession({
    model: 'scripted',
    provider: { type: 'openai', wireApi: 'completions', baseUrl: `${model}/v1`, apiKey: 'x' },
    workingDirectory: home.folder,
    clientName: 'vscode-agent-host',
    streaming: true,
    enableMcpApps: true,
    enableConfigDiscovery: true,
    largeOutput: { maxSizeBytes: 8 * 1024 },
    toolSearch: { enabled: false },
    onPermissionRequest: async (request: unknown) => {
      permissions.push(request);
      return { kind: 'approve-once' };
    },
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, args]) => [
        name,
        { type: 'stdio', command: process.execPath, args, tools: ['*'], ...(timeout && { timeout }) },
      ]),
    ),
  });
  return {
    permissions,
    ask: () => session.sendAndWait({ prompt: 'Call the tools.' }, 120_000),
    abort: () => session.abort(),
    stop: async () => {
      await client.stop().catch(() => {});
      remove(own);
    },
  };
}

interface CopilotRun {
  readonly home: ChatsHome;
  readonly window: TestChats;
  start(
    tools: readonly string[],
    options?: { servers?: readonly string[]; env?: Record<string, string>; timeout?: number },
  ): Promise<CopilotSession & { readonly model: ScriptedModel }>;
}

async function withCopilot(packages: string, check: (run: CopilotRun) => Promise<void>): Promise<void> {
  const home = new ChatsHome();
  const ends: (() => Promise<unknown>)[] = [() => home.close()];
  try {
    const window = await home.chats({ ...fixtures(), other: fixture('tenResults') });
    await check({
      home,
      window,
      start: async (tools, { servers = [SERVER], ...options } = {}) => {
        const model = new ScriptedModel(tools);
        ends.unshift(() => model.close());
        const entries = Object.fromEntries(servers.map(name => [name, entryOf(home, name)]));
        const session = await copilot(packages, home, await model.listen(), entries, options);
        ends.unshift(() => session.stop());
        return { ...session, model };
      },
    });
  } finally {
    for (const end of ends) await end().catch(() => {});
  }
}

const expect = (condition: boolean, what: string) => {
  if (!condition) throw new Error(what);
};
const calls = (window: TestChats) =>
  window.events.flatMap(event => (event.type === 'call' ? [`${event.server} ${event.tool} ${event.answer}`] : []));

const COPILOT: Readonly<Record<string, (run: CopilotRun) => Promise<void>>> = {
  'tools of one name at two servers are two tools': async ({ window, start }) => {
    const session = await start(['results-link', 'other-link'], { servers: [SERVER, 'other'] });
    await session.ask();
    expect(calls(window).join() === 'results link allow,other link allow', calls(window).join());
  },
  'what the person denies is not called, whatever the chat allows': async ({ window, start }) => {
    window.ask = async () => ({ answer: 'deny' });
    const session = await start(['results-link', 'results-failed']);
    await session.ask();
    expect(session.permissions.length === 0, `the runtime asked ${session.permissions.length} times`);
    expect(calls(window).join() === 'results link deny,results failed deny', calls(window).join());
    expect(/not make this call again/.test(textOf(session.model.told)), textOf(session.model.told));
  },
  'a question that takes longer than a call may is answered in time': async ({ window, start }) => {
    window.ask = () => new Promise(resolve => setTimeout(() => resolve({ answer: 'allow' }), 6_000));
    const session = await start(['results-link'], { timeout: 3_000 });
    await session.ask();
    expect(/mark link/.test(textOf(session.model.told)), textOf(session.model.told));
  },
  'a reload cuts off a call, and the next one reaches the server': async ({ home, window, start }) => {
    const session = await start(['results-wait', 'results-link']);
    const answer = session.ask();
    await waitFor(() => window.running(SERVER).length === 1, { what: 'the call' });
    await window.close();
    await home.chats(fixtures());
    await answer;
    const told = textOf(session.model.told);
    expect(/may have been carried out/.test(told) && /mark link/.test(told), told);
  },
  'works where a proxy is configured, through which loopback addresses go, too': async ({ start }) => {
    const proxy = await startHttpServer('proxy');
    try {
      const address = proxy.url('');
      const env = { HTTP_PROXY: address, http_proxy: address, NO_PROXY: '', no_proxy: '' };
      const session = await start(['results-link'], { env });
      await session.ask();
      expect(/mark link/.test(textOf(session.model.told)), textOf(session.model.told));
      const seen = (await (await fetch(proxy.url('/__seen'))).json()) as string[];
      expect(seen.length > 0, 'nothing went through the proxy');
    } finally {
      await proxy.stop();
    }
  },
  'a .mcp.json that "Export Servers…" writes is read by the runtime itself, with the defaults of its variables':
    async ({ home, start }) => {
      const { command, args, env } = fixture('tenResults');
      const entry = { command, args, env: { ...env, REGION: '${env:REGION:-eu}' } };
      const written = exportText([{ name: 'team', entry, inputs: [] }], undefined, '.mcp.json');
      fs.writeFileSync(path.join(home.folder, '.mcp.json'), written);
      const session = await start(['team-link'], { servers: [] });
      await session.ask();
      expect(/mark link/.test(textOf(session.model.told)), textOf(session.model.told));
    },
  'Stop cancels the call at the server': async ({ window, start }) => {
    const session = await start(['results-wait']);
    const answer = session.ask().catch(() => {});
    await waitFor(() => window.running(SERVER).length === 1, { what: 'the call' });
    await session.abort();
    await waitFor(() => window.running(SERVER).length === 0, { what: 'the call to end' });
    await answer;
  },
};

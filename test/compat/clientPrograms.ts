// The clients of `npm run compat -- clients`: for each, the packages to install and a way to make it call a tool.
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentFile, agentFiles, withBridge } from '../../src/features/setup/core/agentFiles';

/** Where a client is to look for the servers. */
export interface Place {
  /** The folder that the packages are installed in. */
  readonly packages: string;
  /** A home folder of its own, which is also where it runs. */
  readonly home: string;
  /** The script of the bridge. */
  readonly bridge: string;
  /** The address of the scripted model. */
  readonly model: string;
  /** An address and headers, for clients that speak HTTP only. */
  readonly http: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly signal: AbortSignal;
  /** The server's entry; absent: that of *Share Servers with Agents…*. */
  readonly args?: readonly string[];
}

export interface ClientProgram {
  readonly name: string;
  /** Of npm; the version is that of the first. */
  readonly packages: readonly string[];
  /** What it is brought to call a tool by. */
  readonly how: string;
  /** Whether it comes over HTTP, not through the bridge. */
  readonly overHttp?: true;
  /** @returns what it printed. */
  run(place: Place): Promise<string>;
}

const TOOL = 'one__count';
const TIMEOUT_MS = 120_000;
const KEY = 'not-a-key';
const PROMPT = 'Call the tool count once, then stop.';
const NODE = process.execPath;

/** A module of the installed packages, as a program beside them would import it. */
async function load<T>({ packages }: Place, specifier: string): Promise<T> {
  const file = createRequire(path.join(packages, 'package.json')).resolve(specifier);
  return (await import(pathToFileURL(file).href)) as T;
}

/** Nothing of the person's who runs this: a home folder of its own, and no variables but these. */
function start({ home, signal }: Place, command: readonly string[], env: Record<string, string>): Promise<string> {
  const options = {
    cwd: home,
    env: { HOME: home, PATH: `${path.dirname(NODE)}${path.delimiter}${process.env.PATH}`, ...env },
    timeout: TIMEOUT_MS,
    signal,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise(resolve => {
    const child = execFile(command[0]!, command.slice(1), options, (_, out, err) => resolve(`${out}\n${err}`));
    child.stdin?.end();
  });
}

/** Writes the entry as *Share Servers with Agents…* does. */
function writeEntry(
  { home, bridge, args }: Place,
  agent: string,
  adapt: (text: string) => string = text => text,
): void {
  const file = agentFiles({ platform: process.platform, home, env: {}, folders: [] }).find(one => one.agent === agent);
  const text = file && entryText(file, args ?? [bridge]);
  if (!file || text === undefined) throw new Error(`there is no file for ${agent}`);
  fs.mkdirSync(path.dirname(file.path), { recursive: true });
  fs.writeFileSync(file.path, adapt(text));
}

const entryText = ({ format }: AgentFile, args: readonly string[]) => withBridge('', format, { command: NODE, args });

/** A client of the SDK's classes, of either version. */
interface SdkModules {
  Client: new (
    info: object,
  ) => {
    connect(transport: unknown): Promise<void>;
    listTools(): Promise<unknown>;
    callTool(call: object): Promise<unknown>;
    close(): Promise<void>;
  };
  StdioClientTransport: new (options: object) => unknown;
}

async function sdk(place: Place, modules: readonly [client: string, stdio: string], args = [place.bridge]) {
  const { Client } = await load<SdkModules>(place, modules[0]);
  const { StdioClientTransport } = await load<SdkModules>(place, modules[1]);
  const client = new Client({ name: 'compat', version: '1' });
  await client.connect(new StdioClientTransport({ command: NODE, args, cwd: place.home }));
  try {
    await client.listTools();
    const name = args[0] === place.bridge ? TOOL : 'count';
    return JSON.stringify(await client.callTool({ name, arguments: {} }));
  } finally {
    await client.close();
  }
}

interface Manifest {
  readonly bin: Readonly<Record<'mcp-inspector', string>>;
}

const SDK_1 = ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'] as const;
const LIBRARY = 'a call in code';
const MODEL = 'a scripted model';

const installed = (place: Place, ...parts: readonly string[]) => path.join(place.packages, 'node_modules', ...parts);
const native = `${process.platform}-${process.arch}`;

export const CLIENTS: readonly ClientProgram[] = [
  { name: 'SDK 1', packages: ['@modelcontextprotocol/sdk@1'], how: LIBRARY, run: place => sdk(place, SDK_1) },
  {
    name: 'SDK 2',
    packages: ['@modelcontextprotocol/client@2'],
    how: LIBRARY,
    run: place => sdk(place, ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio']),
  },
  {
    name: 'AI SDK',
    packages: ['@ai-sdk/mcp'],
    how: LIBRARY,
    run: async place => {
      type Create = (options: object) => Promise<{
        tools(): Promise<Record<string, { execute(args: object, options: object): Promise<unknown> }>>;
        close(): Promise<void>;
      }>;
      const { createMCPClient } = await load<{ createMCPClient: Create }>(place, '@ai-sdk/mcp');
      const stdio = await load<{ Experimental_StdioMCPTransport: new (options: object) => unknown }>(
        place,
        '@ai-sdk/mcp/mcp-stdio',
      );
      const transport = new stdio.Experimental_StdioMCPTransport({
        command: NODE,
        args: [place.bridge],
        cwd: place.home,
      });
      const client = await createMCPClient({ transport });
      try {
        const tools = await client.tools();
        return JSON.stringify(await tools[TOOL]!.execute({}, { toolCallId: '1', messages: [], context: {} }));
      } finally {
        await client.close();
      }
    },
  },
  {
    name: 'OpenAI Agents SDK',
    packages: ['@openai/agents-core', 'zod'],
    how: LIBRARY,
    run: async place => {
      type Server = new (
        options: object,
      ) => {
        connect(): Promise<void>;
        listTools(): Promise<unknown>;
        callTool(name: string, args: object): Promise<unknown>;
        close(): Promise<void>;
      };
      const { MCPServerStdio } = await load<{ MCPServerStdio: Server }>(place, '@openai/agents-core');
      const client = new MCPServerStdio({ name: 'compat', command: NODE, args: [place.bridge], cwd: place.home });
      await client.connect();
      try {
        await client.listTools();
        return JSON.stringify(await client.callTool(TOOL, {}));
      } finally {
        await client.close();
      }
    },
  },
  {
    name: 'LangChain adapters',
    packages: ['@langchain/mcp-adapters', '@langchain/core', '@langchain/langgraph'],
    how: LIBRARY,
    run: async place => {
      type Adapters = new (
        options: object,
      ) => {
        getTools(): Promise<{ name: string; invoke(args: object): Promise<unknown> }[]>;
        close(): Promise<void>;
      };
      const { MultiServerMCPClient } = await load<{ MultiServerMCPClient: Adapters }>(place, '@langchain/mcp-adapters');
      const entry = { transport: 'stdio', command: NODE, args: [place.bridge], cwd: place.home };
      const client = new MultiServerMCPClient({ mcpServers: { 'mcp-host': entry } });
      try {
        const tools = await client.getTools();
        return JSON.stringify(await tools.find(({ name }) => name.endsWith(TOOL))?.invoke({}));
      } finally {
        await client.close();
      }
    },
  },
  {
    name: 'Inspector CLI',
    packages: ['@modelcontextprotocol/inspector'],
    how: 'its command line',
    run: place => {
      const folder = installed(place, '@modelcontextprotocol', 'inspector');
      const { bin } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
      const cli = path.join(folder, bin['mcp-inspector']);
      const call = ['--method', 'tools/call', '--tool-name', TOOL];
      return start(place, [NODE, cli, '--cli', NODE, place.bridge, ...call], {});
    },
  },
  {
    name: 'mcp-remote',
    packages: ['mcp-remote', '@modelcontextprotocol/sdk@1'],
    how: 'a call in code behind it',
    overHttp: true,
    run: place => {
      const headers = Object.entries(place.http.headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]);
      const proxy = installed(place, 'mcp-remote', 'dist', 'proxy.js');
      return sdk(place, SDK_1, [proxy, place.http.url, '--allow-http', ...headers]);
    },
  },
  {
    name: 'Claude Code',
    packages: ['@anthropic-ai/claude-code'],
    how: MODEL,
    run: place => {
      writeEntry(place, 'Claude Code');
      const program = installed(place, '@anthropic-ai', `claude-code-${native}`, 'claude');
      const args = ['-p', PROMPT, '--allowedTools', place.args ? 'mcp__mcp-host' : `mcp__mcp-host__${TOOL}`];
      return start(place, [program, ...args], {
        ANTHROPIC_BASE_URL: place.model,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ENABLE_TOOL_SEARCH: 'false',
        MCP_CONNECTION_NONBLOCKING: 'false',
      });
    },
  },
  {
    name: 'Codex',
    packages: ['@openai/codex'],
    how: MODEL,
    run: place => {
      const provider = `name = "scripted"\nbase_url = "${place.model}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\n`;
      const before = 'model = "scripted"\nmodel_provider = "scripted"\napproval_policy = "never"\n';
      writeEntry(place, 'Codex', text => `${before}${text}\n[model_providers.scripted]\n${provider}`);
      const program = installed(place, '@openai', 'codex', 'bin', 'codex.js');
      const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT];
      return start(place, [NODE, program, ...args], { SCRIPTED_KEY: KEY });
    },
  },
  {
    name: 'opencode',
    packages: ['opencode-ai'],
    how: MODEL,
    run: place => {
      writeEntry(place, 'opencode', text => {
        const options = { baseURL: `${place.model}/v1`, apiKey: KEY };
        const models = { scripted: { name: 'scripted', tool_call: true } };
        const provider = { scripted: { npm: '@ai-sdk/openai-compatible', name: 'scripted', options, models } };
        return JSON.stringify({ ...JSON.parse(text), provider, model: 'scripted/scripted', autoupdate: false });
      });
      const program = installed(place, `opencode-${native}`, 'bin', 'opencode');
      return start(place, [program, 'run', '--model', 'scripted/scripted', PROMPT], {
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      });
    },
  },
  {
    name: 'Gemini CLI',
    packages: ['@google/gemini-cli'],
    how: MODEL,
    run: place => {
      const security = { auth: { selectedType: 'gemini-api-key' } };
      writeEntry(place, 'Gemini CLI', text => JSON.stringify({ ...JSON.parse(text), security }));
      const program = installed(place, '@google', 'gemini-cli', 'bundle', 'gemini.js');
      return start(place, [NODE, program, '--yolo', '--skip-trust', '--model', 'gemini-2.5-pro', '-p', PROMPT], {
        GEMINI_API_KEY: KEY,
        GOOGLE_GEMINI_BASE_URL: place.model,
      });
    },
  },
];

// Clients of MCP, as a program that uses them would: a server over stdio, its tools, a call.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MCPServerStdio } from '@openai/agents-core';
import { inspector } from '../../servers/inspector';
import { requireOnDemand } from '../../setup/onDemand';
import { temporaryFolder } from '../../setup/paths';
import { HostClient } from '../wire/hostClient';

/** A connected client whose tools were listed once. */
export interface Peer {
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
}

/** @param args of Node, for the server. */
type Connect = (args: string[]) => Promise<Peer>;

const command = process.execPath;
/** For one call, where the client lets one say so. */
const timeout = 600_000;

/** What is used of LangChain's adapters, and of mcp-use. */
interface LangChainAdapters {
  MultiServerMCPClient: new (
    servers: object,
  ) => { getTools(): Promise<{ name: string; invoke(args: object): Promise<unknown> }[]> };
}
interface McpUse {
  MCPClient: new (
    config: object,
  ) => {
    createSession(name: string): Promise<{
      listTools(): Promise<unknown>;
      callTool(name: string, args: object, options: object): Promise<unknown>;
    }>;
  };
}

export const PEERS = {
  'MCP Host': async args => HostClient.start(args),
  'SDK 2': async args => {
    const client = new Client({ name: 'bench', version: '0' });
    await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
    await client.listTools();
    return { call: (name, given) => client.callTool({ name, arguments: given }, { timeout }) };
  },
  'AI SDK': async args => {
    const client = await createMCPClient({
      name: 'bench',
      transport: new StdioMCPTransport({ command, args, stderr: 'ignore' }),
    });
    const tools = await client.tools();
    const options = { toolCallId: '1', messages: [], context: {} };
    return { call: async (name, given) => tools[name]!.execute(given, options as never) };
  },
  'OpenAI Agents': async args => {
    const client = new MCPServerStdio({ name: 'bench', command, args, timeout });
    await client.connect();
    await client.listTools();
    return { call: (name, given) => client.callTool(name, given) };
  },
  LangChain: async args => {
    const { MultiServerMCPClient }: LangChainAdapters = (await requireOnDemand('peers'))('@langchain/mcp-adapters');
    const wire = { transport: 'stdio', command, args, defaultToolTimeout: timeout, stderr: 'ignore' };
    const tools = await new MultiServerMCPClient({ mcpServers: { wire } }).getTools();
    return { call: async (name, given) => tools.find(tool => tool.name === name)!.invoke(given) };
  },
  'mcp-use': async args => {
    const { MCPClient }: McpUse = (await requireOnDemand('peers'))('mcp-use');
    const session = await new MCPClient({ mcpServers: { wire: { command, args } } }).createSession('wire');
    await session.listTools();
    return { call: (name, given) => session.callTool(name, given, { timeout }) };
  },
  // A process for each request.
  'Inspector CLI': async args => {
    const cli = inspector(temporaryFolder());
    const run = (...given: string[]) =>
      promisify(execFile)(command, [cli, command, ...args, ...given], { maxBuffer: 1024 * 1024 * 1024 });
    await run('--method', 'tools/list');
    return {
      call: (name, given) =>
        run(
          '--method',
          'tools/call',
          '--tool-name',
          name,
          ...Object.entries(given).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
        ),
    };
  },
} satisfies Record<string, Connect>;

export type PeerName = keyof typeof PEERS;

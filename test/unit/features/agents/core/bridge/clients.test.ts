// Clients that others wrote, as agents have them, through the bridge.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiSdkTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { MCPServerStdio } from '@openai/agents-core';
import { inspector } from '../../../../../servers/inspector';
import { fixture } from '../../../../host/testHost';
import { AgentsHome, type TestWindow } from '../testAgents';

describe('other clients through the bridge:', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  let window: TestWindow;
  beforeEach(async () => {
    home = new AgentsHome();
    window = await home.window().share({ one: fixture('content') });
  });
  afterEach(() => home.close());
  const agents = () => window.calls().map(([, tool, , client]) => [tool, client]);

  it('the SDK 1.x', async () => {
    const client = home.own(new Client({ name: 'older-sdk', version: '1' }));
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [home.bridge], cwd: home.folder }),
    );
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'one__count'));
    await client.callTool({ name: 'one__count', arguments: {} });
    assert.deepEqual(agents(), [['count', 'older-sdk']]);
  });

  it("the AI SDK's", async () => {
    const client = home.own(
      await createMCPClient({
        name: 'ai-sdk',
        transport: new AiSdkTransport({ command: process.execPath, args: [home.bridge], cwd: home.folder }),
      }),
    );
    const tools = await client.tools();
    const options = { toolCallId: '1', messages: [], context: {} };
    await tools.one__count!.execute({}, options as never);
    assert.deepEqual(agents(), [['count', 'ai-sdk']]);
  });

  it("the OpenAI Agents SDK's", async () => {
    const client = home.own(
      new MCPServerStdio({ name: 'agents-sdk', command: process.execPath, args: [home.bridge], cwd: home.folder }),
    );
    await client.connect();
    const tools = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'one__count'));
    const content = await client.callTool('one__count', {});
    assert.equal(content.length, 1);
    assert.deepEqual(agents(), [['count', 'agents-sdk']]);
  });

  it("the inspector's command line", async () => {
    const run = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [inspector(fs.mkdtempSync(path.join(home.folder, 'cli-'))), process.execPath, home.bridge, ...args],
        { cwd: home.folder },
      );
      return JSON.parse(stdout);
    };
    const { tools } = await run('--method', 'tools/list');
    assert.ok(tools.some(({ name }: { name: string }) => name === 'one__count'));
    const { content } = await run('--method', 'tools/call', '--tool-name', 'one__count');
    assert.equal(content.length, 1);
    assert.equal(agents().length, 1);
    assert.match(String(agents()[0]![1]), /inspector/);
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mockServer } from '../../../../../src/features/mock/core/mockServer';
import { REDACTED, type TraceRecord } from '../../../../../src/host';
import { inRepository, temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';

const SECRET = 'hunter2-and-more';

describe('a mock server made from a session', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  async function replayed<T>(program: string, use: (client: Client) => Promise<T>): Promise<T> {
    const file = join(folder, 'mock.mjs');
    writeFileSync(file, program);
    const client = new Client({ name: 'another', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [file] }));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  it('answers another client as the demo server did, including errors, and nothing else @mockServer.answers-client-demo', async () => {
    const host = new TestHost({}, { trace: () => ({ messages: 1_000, size: 10_000_000 }) });
    host.roots.items = [];
    const entry = {
      command: process.execPath,
      args: [inRepository('dist', 'demo-server.js')],
      cwd: folder,
      env: { ELECTRON_RUN_AS_NODE: '1', TOKEN: SECRET },
    };
    host.configure({ notebook: entry });
    const notebook = await host.loads('notebook');
    const tool = (name: string) => notebook.catalog.tools.find(one => one.name === name)!;
    const add = { name: 'plan', text: `The token is ${SECRET}.` };
    assert.ok(!(await raw(notebook).callTool(tool('add_note'), add)).isError);
    const again = await raw(notebook).callTool(tool('add_note'), add);
    assert.ok(again.isError);
    const listed = await raw(notebook).callTool(tool('list_notes'), {});
    const read = await raw(notebook).readResource('notebook:///notes/plan');
    const names = notebook.catalog.tools.map(({ name }) => name);
    const { trace } = host.host;
    const mock = await mockServer(trace.records(), record => trace.readable(record), 'notebook');
    await host.close();
    assert.ok(!mock.program.includes(SECRET));
    assert.ok(mock.struckOut > 0);
    assert.equal(mock.cut, 0);

    await replayed(mock.program, async client => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      const struckOut = { name: 'plan', text: `The token is ${REDACTED}.` };
      const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
      assert.ok(!(await call('add_note', struckOut)).isError, 'the first answer');
      assert.deepEqual((await call('add_note', { text: struckOut.text, name: 'plan' })).content, again.content);
      assert.deepEqual((await call('add_note', struckOut)).content, again.content, 'the last one stays');
      assert.deepEqual((await call('list_notes', {})).structuredContent, listed.structuredContent);
      const { contents } = await client.readResource({ uri: 'notebook:///notes/plan' });
      assert.equal(contents.length, read.contents.length);
      await assert.rejects(call('add_note', { name: 'other', text: 'new' }), /no such request/);
      await assert.rejects(client.readResource({ uri: 'notebook:///notes/other' }), /no such request/);
      await client.ping();
    });
  });

  it('leaves out incomplete records, non-answers, and what would break out of a comment', async () => {
    let seq = 0;
    const record = (direction: TraceRecord['direction'], message: unknown, more = 0): TraceRecord => {
      const text = typeof message === 'string' ? message : JSON.stringify(message);
      return { seq: ++seq, at: seq, server: 'one', direction, text, size: text.length + more };
    };
    const { program, answers, cut } = await mockServer(
      [
        record('sent', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { a: 1 } } }),
        record('received', { jsonrpc: '2.0', method: 'notifications/message', params: {} }),
        record('received', { jsonrpc: '2.0', id: 1, result: { tools: [] } }),
        record('received', { jsonrpc: '2.0', id: 2, method: 'ping' }),
        record('sent', { jsonrpc: '2.0', id: 2, result: {} }),
        record('sent', { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'a' } }),
        record('received', { jsonrpc: '2.0', id: 3, result: { contents: [] } }, 1),
        record('received', 'nonsense {'),
        record('received', { jsonrpc: '2.0', id: 9, result: {} }),
      ],
      ({ text }) => text,
      'a\nprocess.exit()\u2028b',
    );
    assert.deepEqual([answers, cut], [1, 1]);
    assert.match(program, /^\/\/ A mock MCP server, made of the trace of a session with: a process\.exit\(\) b\n/);
    assert.match(program, /\n {2}\["tools\/list","\{\}",\{"result":\{"tools":\[\]\}\}\],\n/);
  });
});

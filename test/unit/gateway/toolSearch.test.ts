import assert from 'node:assert/strict';
import { findTools } from '../../../src/features/languageModel/core';
import { APP_MIME_TYPE, UI_EXTENSION } from '../../../src/host/catalog';
import { fixture, hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const said = (result: { content: unknown }): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('');

describe('a client that searches for tools', () => {
  let t: TestGateway;
  beforeEach(() => {
    t = new TestGateway({ findTools });
  });
  afterEach(() => t.close());
  const call = (name: string, args: object = {}) => ({
    name: 'mcp_call_tool',
    arguments: { name, arguments: args },
  });

  for (const era of ERAS) {
    it(`gets three tools, and calls the server's through them (${era} era)`, async () => {
      await t.serve({ many: hostile('--tools=300') });
      const client = await t.connect('many', era);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['mcp_search_tools', 'mcp_describe_tool', 'mcp_call_tool'],
      );
      assert.match(tools[0]!.description!, /"many", which has 300: /);
      assert.ok(JSON.stringify(tools).length < 4000);
      const found = said(await client.callTool({ name: 'mcp_search_tools', arguments: { query: 'number 217' } }));
      assert.equal(JSON.parse(found.split('\n')[0]!).name, 'tool-217');
      const described = said(
        await client.callTool({ name: 'mcp_describe_tool', arguments: { names: ['tool-17', 'gone'] } }),
      );
      assert.deepEqual(Object.keys(JSON.parse(described)), ['name', 'inputSchema']);
      assert.match(said(await client.callTool(call('tool-217'))), /tool-217/);
    });
  }

  it('gets tools as they are up to the number that it can take', async () => {
    t = new TestGateway({ findTools, mostListed: 299 });
    await t.serve({ some: hostile('--tools=299'), many: hostile('--tools=300') });
    const [some, many] = await Promise.all(['some', 'many'].map(name => t.connect(name, 'modern')));
    assert.equal((await some!.listTools()).tools.length, 299);
    assert.equal((await many!.listTools()).tools.length, 3);
  });

  it('never finds a tool that is for apps alone, nor calls it, whether it draws apps or not', async () => {
    await t.serve({ apps: fixture('apps', '--hostile') });
    const drawing = { capabilities: { extensions: { [UI_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } } };
    for (const options of [{}, drawing]) {
      const client = await t.connect('apps', 'legacy', options);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['mcp_search_tools', 'mcp_describe_tool', 'mcp_call_tool'],
      );
      assert.match(tools[0]!.description!, /show_board, plan, /);
      assert.doesNotMatch(tools[0]!.description!, /refresh/);
      const found = said(await client.callTool({ name: 'mcp_search_tools', arguments: { query: 'refresh' } }));
      assert.doesNotMatch(found, /"refresh"/);
      const described = await client.callTool({ name: 'mcp_describe_tool', arguments: { names: ['refresh'] } });
      assert.match(said(described), /There are no such tools/);
      const called = await client.callTool(call('refresh'));
      assert.ok(called.isError);
      assert.match(said(called), /There is no tool refresh/);
      assert.match(said(await client.callTool(call('plan'))), /plan is done/);
    }
    assert.deepEqual(
      t.events.flatMap(event => (event.type === 'call' ? [event.tool] : [])),
      ['plan', 'plan'],
    );
  });

  it('has each call approved and recorded as one of the real tool @toolSearch.call-approved-recorded', async () => {
    const asked: string[] = [];
    t.answer = ({ tool }) => {
      asked.push(tool.name);
      return { answer: tool.name === 'tool-15' ? 'allow' : 'deny' };
    };
    t.denied = ['many/tool-17'];
    await t.serve({ many: hostile('--tools=20') });
    const client = await t.connect('many', 'legacy');
    await client.listTools();
    assert.match(said(await client.callTool(call('tool-15'))), /tool-15/);
    assert.match(said(await client.callTool(call('tool-16'))), /denied/i);
    assert.match(said(await client.callTool(call('tool-17'))), /den(ied|y)/i);
    assert.deepEqual(asked, ['tool-15', 'tool-16'], 'a rule needs no answer');
    const recorded = t.events.flatMap(event => (event.type === 'call' ? [event.tool] : []));
    assert.deepEqual(recorded, ['tool-15', 'tool-16', 'tool-17']);
  });

  it('gets an error for invalid input of its model', async () => {
    await t.serve({ many: hostile('--tools=20') });
    const client = await t.connect('many', 'legacy');
    const ask = async (name: string, args: Record<string, unknown>) =>
      said(await client.callTool({ name, arguments: args }));
    assert.match(await ask('mcp_call_tool', { name: 'gone' }), /There is no tool gone/);
    assert.match(
      await ask('mcp_call_tool', { name: 'mcp_call_tool', arguments: {} }),
      /There is no tool mcp_call_tool/,
    );
    assert.match(await ask('mcp_call_tool', {}), /There is no tool undefined/);
    assert.match(await ask('mcp_search_tools', { query: 'zebra' }), /No tool fits/);
    for (const query of [undefined, 5, null]) assert.match(await ask('mcp_search_tools', { query }), /No tool fits/);
    for (const names of [undefined, 'x', [5, null]])
      assert.match(await ask('mcp_describe_tool', { names }), /no such tools/);
  });

  it('gets the tools directly when they are few', async () => {
    await t.serve({ few: hostile('--tools=8'), many: hostile('--tools=9') });
    assert.equal((await (await t.connect('few', 'legacy')).listTools()).tools.length, 8);
    assert.equal((await (await t.connect('many', 'legacy')).listTools()).tools.length, 3);
  });
});

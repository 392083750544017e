import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../../src/base/phrase';
import { argumentsForServer, schemaForModel } from '../../../src/features/languageModel/core';
import { OfferedTools } from '../../../src/features/profiles/offeredTools';
import type { ToolConversion } from '../../../src/gateway/toolsForModels';
import { FRAMEWORK_TOOLS } from '../../servers/frameworkSchemas';
import { inRepository } from '../../setup/paths';
import { fixture } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const { refusal } = createRequire(__filename)(inRepository('test/extensions/demo-model/refusals.cjs')) as {
  refusal(tool: Tool): string | undefined;
};

describe('a client that hands tools to models', () => {
  const log: string[] = [];
  const offered = new OfferedTools(
    () => undefined,
    () => ({ dispose() {} }),
    { log: (_server, { data }) => void log.push(String(data)) },
    { fire() {} },
  );
  const toolConversion: ToolConversion = {
    schemaFor: (server, tool) => {
      const made = schemaForModel(tool);
      if (!('problem' in made)) return made.schema as Tool['inputSchema'];
      offered.leaveOut(server, tool, made.problem);
      return undefined;
    },
    argumentsFor: (tool, given) => argumentsForServer(tool, given, true),
  };
  let t: TestGateway;
  afterEach(() => t.close());

  for (const era of ERAS) {
    it(`gets tools that every provider accepts, under names that the editor can tell apart (${era} era)`, async () => {
      t = new TestGateway({ toolConversion });
      await t.serve({ odd: fixture('oddSchemas') });
      const client = await t.connect('odd', era);
      const { tools } = await client.listTools();
      for (const tool of tools)
        assert.equal(refusal({ ...tool, name: tool.name.replaceAll('.', '_') }), undefined, tool.name);
      const names = tools.map(({ name }) => name);
      assert.equal(names.length, 13);
      assert.deepEqual(log.splice(0), [
        'too_large cannot be offered to a model: its input schema is larger than 32 KB',
      ]);
      const dotted = names.find(name => /^two_names_[0-9a-f]{10}$/.test(name)) ?? assert.fail(String(names));
      for (const [name, sent, got = sent] of [
        [dotted, {}],
        ['two_names', {}],
        ['empty', { any: 1 }],
        ['no_items', { values: ['5', true, 'a'] }, { values: [5, true, 'a'] }],
        ['nested_arrays', { rows: [['1'], []] }, { rows: [[1], []] }],
        ['odd_names', { filter_id: 'x', a_space: 1 }, { 'filter[id]': 'x', 'a space': 1 }],
      ] as const) {
        const { content } = await client.callTool({ name, arguments: sent });
        assert.deepEqual(JSON.parse((content as { text: string }[])[0]!.text), got, name);
      }
      const refused = await client.callTool({ name: 'odd_names', arguments: { a_space: 'x' } });
      assert.equal(refused.isError, true);
      assert.match(JSON.stringify(refused.content), /odd_names was not called: .*filter\[id\] is required/);
    });
  }

  it('can call what frameworks list with faulty schemas, with the arguments that their servers take', async () => {
    t = new TestGateway({ toolConversion });
    await t.serve({ odd: fixture('oddSchemas', '--frameworks') });
    const client = await t.connect('odd', 'legacy');
    assert.equal((await client.listTools()).tools.length, FRAMEWORK_TOOLS.length);
    for (const [index, { from, taken }] of FRAMEWORK_TOOLS.entries()) {
      const { content } = await client.callTool({ name: `tool_${index}`, arguments: taken });
      assert.deepEqual(JSON.parse((content as { text: string }[])[0]!.text), taken, from);
    }
    const { mistakes = [] } = t.test.server('odd').catalog.list('tools');
    assert.deepEqual(
      mistakes.map(({ reason }) => english(reason)),
      [
        'its input schema allows no members in "headers", which is an object',
        'its input schema allows no members in "data", which is an object',
        'its input schema allows no arguments, although it describes some',
        'its input schema allows no arguments, although it describes some',
        "its input schema can't be checked: the dialect http://json-schema.org/draft-04/schema# is not supported, only 2020-12, 2019-09, draft-07, draft-06",
        'its input schema refers to "#/components/schemas/X", which is not there',
        'its input schema refers to "https://example.com/schema.json#/a", which is not there',
      ],
    );
  });

  it('gets what does not fit sent when it insists', async () => {
    t = new TestGateway({ toolConversion });
    await t.serve({ odd: fixture('oddSchemas') });
    const client = await t.connect('odd', 'legacy');
    const call = { name: 'odd_names', arguments: { a_space: 'x' } };
    assert.match(JSON.stringify(await client.callTool(call)), /was not called: .*make exactly this call again/);
    const { content } = await client.callTool(call);
    assert.deepEqual(JSON.parse((content as { text: string }[])[0]!.text), { 'a space': 'x' });
  });

  it('searches in the same definitions', async () => {
    const find = (tools: readonly Tool[]) => tools.filter(({ name }) => name === 'odd_names');
    t = new TestGateway({ toolConversion, findTools: find });
    await t.serve({ odd: fixture('oddSchemas') });
    const client = await t.connect('odd', 'legacy');
    const found = await client.callTool({ name: 'mcp_search_tools', arguments: { query: 'names' } });
    assert.match(JSON.stringify(found.content), /filter_id/);
    const args = { name: 'odd_names', arguments: { filter_id: 'x' } };
    const { content } = await client.callTool({ name: 'mcp_call_tool', arguments: args });
    assert.match(JSON.stringify(content), /filter\[id\]/);
  });

  it('without a conversion gets what the server lists', async () => {
    t = new TestGateway();
    await t.serve({ odd: fixture('oddSchemas') });
    const { tools } = await (await t.connect('odd', 'legacy')).listTools();
    assert.deepEqual(
      tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
      t.test.server('odd').catalog.tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
    );
  });
});

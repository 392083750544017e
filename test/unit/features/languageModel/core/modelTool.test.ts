import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/client';
import { Turns } from '../../../../../src/base/turns';
import {
  argumentRefusal,
  argumentsForServer,
  defineTool,
  madeSoFar,
  makeSchemas,
  schemaForModel,
} from '../../../../../src/features/languageModel/core';
import { FRAMEWORK_TOOLS } from '../../../../servers/frameworkSchemas';

const shapeFor = (from: string) => {
  const tool = FRAMEWORK_TOOLS.find(one => one.from.startsWith(from)) ?? assert.fail(from);
  const made = schemaForModel(tool);
  assert.ok('schema' in made, from);
  return made.schema.properties as Record<string, { properties?: object; items?: { properties?: object } }>;
};

describe('a tool as models get it', () => {
  const inputSchema = { type: 'object' as const };
  const description = (tool: object) => {
    const defined = defineTool({
      ...{ name: 'notes__find', serverId: 'notes', serverName: 'notes' },
      tool: { name: 'find', inputSchema, ...tool },
    });
    return 'definition' in defined ? defined.definition.description : assert.fail('it is refused');
  };

  it('is described by its server, or called by its title or name, in 2,000 characters', () => {
    assert.equal(description({ description: 'Finds notes.' }), 'notes: Finds notes.');
    assert.equal(description({ title: 'Find' }), 'notes: Find');
    assert.equal(description({}), 'notes: find');
    const long = description({ description: 'x'.repeat(3_000) });
    assert.ok(long.startsWith('notes: xxx') && long.length < 2_010, String(long.length));
  });
});

describe('arguments of a model', () => {
  for (const { from, inputSchema, taken } of FRAMEWORK_TOOLS)
    it(`are sent if the server would take them: ${from}`, () => {
      assert.deepEqual(argumentsForServer({ inputSchema }, taken), { args: taken });
    });

  it('are still checked where such a schema can be used', () => {
    for (const [from, args, expected] of [
      ['fastmcp 4.20.16, z.record', {}, /headers is required/],
      ['fastmcp 4.20.16, z.discriminatedUnion', { k: 'c' }, /must fit/],
      [
        'xmcp 1.1.3, a list',
        { nodes: [{ name: 'a', children: [{ name: 5 }] }] },
        /children\[0\]\.name must be a string/,
      ],
      ['xmcp 1.1.3, a recursive', { tree: { name: 'a', children: [{}] } }, /children\[0\]\.name is required/],
      ['zod-to-json-schema 3, relative', { b: { x: 5 } }, /b\.x must be a string/],
      ['typebox', { tree: { name: 'a', children: [{ name: 5 }] } }, /children\[0\]\.name must be a string/],
      ['OpenAPI 3.0, nullable', { a: 'y' }, /a must be "x" or null/],
    ] as const) {
      const tool = FRAMEWORK_TOOLS.find(one => one.from.startsWith(from)) ?? assert.fail(from);
      const made = argumentsForServer({ inputSchema: tool.inputSchema }, args);
      assert.match('problem' in made ? made.problem : '', expected, from);
    }
  });

  it('that do not fit are refused once, and sent when the model insists', () => {
    const record = { type: 'object' as const, properties: { rec: { type: 'string' } }, required: ['rec'] };
    const tool = { inputSchema: record };
    const [one, other] = [{ rec: { a: 1 } }, { rec: 5 }];
    for (const args of [one, other])
      assert.match(argumentRefusal(tool, args) ?? '', /rec must be a string, not .* make exactly this call again/s);
    for (const args of [other, one]) assert.equal(argumentRefusal(tool, args), undefined);
    assert.match(argumentRefusal(tool, one) ?? '', /must be a string/, 'a later call is checked as the first');
    assert.match(argumentRefusal({ inputSchema: record }, one) ?? '', /must be a string/, 'each tool has its own');
  });

  it('have the shape that a reference leads to', () => {
    const properties = ['name', 'children'];
    assert.deepEqual(Object.keys(shapeFor('typebox').tree?.properties ?? {}), properties);
    assert.deepEqual(Object.keys(shapeFor('xmcp 1.1.3, a list').nodes?.items?.properties ?? {}), properties);
    assert.deepEqual(Object.keys(shapeFor('xmcp 1.1.3, a recursive').tree?.properties ?? {}), properties);
    assert.deepEqual(Object.keys(shapeFor('zod-to-json-schema 3, relative').b?.properties ?? {}), ['x']);
  });

  it('are described without what is always true or cut in the middle', () => {
    const email = "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";
    const made = schemaForModel({
      inputSchema: {
        type: 'object',
        properties: {
          record: { type: 'object', propertyNames: { type: 'string' } },
          email: { type: 'string', format: 'email', pattern: email },
          code: { type: 'string', pattern: `^(${'a|'.repeat(200)})$` },
          plain: { type: 'string', pattern: '^[a-z]+$' },
        },
      },
    });
    assert.deepEqual('schema' in made && made.schema.properties, {
      record: { type: 'object' },
      email: { type: 'string', description: 'Format: email' },
      code: { type: 'string' },
      plain: { type: 'string', description: 'Pattern: ^[a-z]+$' },
    });
  });

  it('are told for what is shown as far as a turn goes, and made meanwhile', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i): [string, object] => [
        `q${i}`,
        { anyOf: [{ type: 'string' }, { enum: [1] }] },
      ]),
    );
    const tools = Array.from(
      { length: 300 },
      () => ({ inputSchema: { type: 'object', properties } }) as unknown as Tool,
    );
    const before = madeSoFar(tools, new Turns(0));
    assert.ok(before.length < tools.length, String(before.length));
    await makeSchemas(tools);
    assert.deepEqual(madeSoFar(tools, new Turns(-1)), tools);
  });

  it('are made in turns, so that thousands of tools hold up nothing else', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i): [string, object] => [
        `p${i}`,
        { anyOf: [{ type: 'string' }, { enum: [1, { a: i }] }] },
      ]),
    );
    const tools = Array.from({ length: 10 }, () => ({
      inputSchema: { type: 'object' as const, properties: properties as never },
    }));
    let [turns, isDone] = [0, false];
    const other = async () => {
      for (; !isDone; turns++) await setImmediate();
    };
    const others = other();
    await makeSchemas(tools);
    isDone = true;
    await others;
    assert.ok(turns >= 5, `${turns} turns of other work`);
  });
});

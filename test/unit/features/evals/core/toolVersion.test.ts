import assert from 'node:assert/strict';
import type { InterfaceSnapshot } from '../../../../../src/features/authors/core';
import { ToolVersion } from '../../../../../src/features/evals/core/toolVersion';

const inputSchema = { type: 'object', properties: { 'the text': { type: 'string' } } };
const version = (tools: Record<string, object>, hidden: string[] = []) =>
  new ToolVersion('notes', { tools: tools as InterfaceSnapshot['tools'] }, name => !hidden.includes(name));

describe('ToolVersion', () => {
  it("offers what models get in chat, independent of the file's order", () => {
    const tools = {
      b: { inputSchema: { type: 'object' }, title: 'The B' },
      a: { description: 'Does a.', inputSchema },
    };
    const made = version(tools);
    assert.deepEqual(
      made.definitions.map(({ name, description }) => ({ name, description })),
      [
        { name: 'notes__a', description: 'notes: Does a.' },
        { name: 'notes__b', description: 'notes: The B' },
      ],
    );
    assert.deepEqual(version({ a: tools.a, b: tools.b }).definitions, made.definitions);
    assert.deepEqual(made.names, ['a', 'b']);
  });

  it('omits tools that are not for models, or that no provider accepts', () => {
    const made = version({ app: { inputSchema }, odd: { inputSchema: 'x' }, none: {}, a: { inputSchema } }, ['app']);
    assert.deepEqual(made.names, ['a']);
    assert.deepEqual(made.leftOut, ['none', 'odd']);
  });

  it('has texts, whatever the file contains instead', () => {
    const made = version({ a: { title: 5, description: { text: 'no' }, inputSchema } });
    assert.equal(made.definitions[0]?.description, 'notes: a');
  });

  it("maps a call by the model's names back to the server's", () => {
    const made = version({ a: { inputSchema } });
    const [renamed] = Object.keys(made.definitions[0]?.inputSchema.properties ?? {});
    assert.notEqual(renamed, 'the text');
    assert.deepEqual(made.choice('notes__a', { [renamed!]: 'x' }), { tool: 'a', arguments: { 'the text': 'x' } });
    assert.deepEqual(made.choice('invented', { x: 1 }), { tool: 'invented', arguments: { x: 1 } });
    assert.notEqual(made.choice('a', {}).tool, 'notes__a');
  });
});

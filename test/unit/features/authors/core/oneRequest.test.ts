import assert from 'node:assert/strict';
import { pairOf, readArguments } from '../../../../../src/features/authors/core/oneRequest';

describe('arguments on a command line', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      either: { type: ['string', 'null'] },
      count: { type: 'integer' },
      on: { type: 'boolean' },
      list: { type: 'array' },
      tone: { enum: ['1', '2'] },
    },
  };
  const read = (...pairs: [string, string][]) => readArguments(schema, { pairs });

  it('are split at the first "="', () => {
    assert.deepEqual(pairOf('a=b=c'), ['a', 'b=c']);
    assert.deepEqual(pairOf('a='), ['a', '']);
    for (const text of ['a', '=b', '']) assert.equal(pairOf(text), undefined);
  });

  it('are JSON unless the schema asks for a text', () => {
    assert.deepEqual(read(['text', '7'], ['either', 'true'], ['tone', '1']), { text: '7', either: 'true', tone: '1' });
    assert.deepEqual(read(['count', '7'], ['on', 'false'], ['list', '[1,"a"]']), {
      count: 7,
      on: false,
      list: [1, 'a'],
    });
    assert.deepEqual(read(['other', '{"a":1}']), { other: { a: 1 } });
  });

  it('are sent as a text when they are no JSON, for the server to judge', () => {
    assert.deepEqual(read(['count', 'many'], ['other', '{']), { count: 'many', other: '{' });
  });

  it('replace those of the JSON, whatever their names', () => {
    const args = readArguments(schema, {
      json: { text: 'a', count: 1 },
      pairs: [
        ['text', 'b'],
        ['__proto__', '1'],
      ],
    });
    assert.deepEqual(Object.entries(args), [
      ['text', 'b'],
      ['count', 1],
      ['__proto__', 1],
    ]);
    assert.equal(Object.getPrototypeOf(args), Object.prototype);
  });

  it('need no schema', () => {
    for (const none of [undefined, null, 'x', { properties: 7 }])
      assert.deepEqual(readArguments(none, { pairs: [['a', '1']] }), { a: 1 });
  });
});

import assert from 'node:assert/strict';
import { HostError } from '../../../../../src/base/errors';
import { english } from '../../../../../src/base/phrase';
import { checkResult, has, lineDiff, type Outcome } from '../../../../../src/features/authors/core/checkResult';
import type { Expectation } from '../../../../../src/features/authors/core/testSchema';

const result = {
  content: [{ type: 'text', text: 'Found 2 notes.' }],
  structuredContent: {
    total: 2,
    hits: [
      { name: 'a', line: 1 },
      { name: 'b', line: 5 },
    ],
  },
};
const check = (expect: Expectation, outcome: Outcome = { result }) =>
  checkResult(outcome, expect).map(({ message }) => english(message));
const failure = (rpcCode?: number): Outcome => ({
  error: new HostError({
    code: 'PROTOCOL',
    server: 's',
    action: 'call x',
    reason: 'no such tool',
    ...(rpcCode && { rpcError: { code: rpcCode, message: 'no such tool' } }),
  }),
});

describe('the expectation of a result', () => {
  it('is by default a result without an error', () => {
    assert.deepEqual(check({}), []);
    assert.deepEqual(check({}, { result: { ...result, isError: true } }), [
      'The tool reports an error: Found 2 notes.',
    ]);
    assert.deepEqual(check({}, failure(-32602)), ['The request failed: no such tool']);
  });

  it('may be an error, in the result or of the protocol', () => {
    assert.deepEqual(check({ isError: true }, { result: { ...result, isError: true } }), []);
    assert.deepEqual(check({ isError: true }).length, 1);
    for (const error of [true, -32602, 'PROTOCOL', { code: -32602 }, { contains: 'such' }] as const)
      assert.deepEqual(check({ error }, failure(-32602)), [], JSON.stringify(error));
    assert.deepEqual(check({ error: -32601 }, failure(-32602)), ['The error has a different code.']);
    assert.deepEqual(check({ error: { contains: 'else' } }, failure()), ['The error has a different text.']);
    assert.deepEqual(check({ error: true }), ['An error was expected, but there was a result.']);
  });

  it('is all of it, a part of it, or a text in it', () => {
    assert.deepEqual(check({ equals: structuredClone(result) }), []);
    assert.deepEqual(check({ equals: { content: [] } }), ['The result is not what was expected.']);
    assert.deepEqual(check({ equals: null }), ['The result is not what was expected.']);
    assert.deepEqual(check({ contains: 'Found 2' }), []);
    assert.deepEqual(check({ contains: 'Found 3' }), ['The text of the result lacks what was expected.']);
    assert.deepEqual(check({ contains: { structuredContent: { hits: [{ name: 'b' }] } } }), []);
    assert.deepEqual(check({ contains: { structuredContent: { hits: [{ name: 'c' }] } } }), [
      'The result lacks what was expected.',
    ]);
  });

  it('is shown beside the actual value of the same members, if any', () => {
    const shown = (contains: unknown) => JSON.parse(checkResult({ result }, { contains })[0]?.actual ?? '') as unknown;
    assert.deepEqual(shown({ structuredContent: { total: 3, gone: 1 } }), { structuredContent: { total: 2 } });
    assert.deepEqual(shown({ structuredContent: { gone: 1 } }), { structuredContent: result.structuredContent });
    assert.deepEqual(shown({ gone: 1 }), result);
  });

  it('is found by paths', () => {
    assert.deepEqual(
      check({
        matches: [
          { path: '$.structuredContent.total', equals: 2 },
          { path: '$.structuredContent.hits[*].name', count: 2, contains: 'b' },
          { path: '$.content[0].text', contains: 'notes' },
          { path: '$.structuredContent.hits[*]', schema: { type: 'object', required: ['line'] } },
          { path: '$.structuredContent.gone', count: 0 },
        ],
      }),
      [],
    );
    assert.deepEqual(
      check({
        matches: [
          { path: '$.structuredContent.total', equals: 3 },
          { path: '$.gone' },
          { path: '$.structuredContent.hits[*]', count: 3 },
          { path: '$.content[0].text', contains: 'books' },
          { path: '$.content[0].text', schema: { type: 'number' } },
          { path: 'content' },
        ],
      }).map(text => text.replace(/: .*/, '')),
      [
        '$.structuredContent.total is not what was expected.',
        'Found no value at $.gone.',
        '$.structuredContent.hits[*]',
        '$.content[0].text lacks what was expected.',
        '$.content[0].text does not fit the schema',
        'The path content cannot be used',
      ],
    );
  });

  it('is compared as JSON with its members in order', () => {
    const [found] = checkResult({ result: { b: 1, a: { d: 1, c: 2 } } }, { equals: { a: { c: 2, d: 2 }, b: 1 } });
    assert.deepEqual(lineDiff(found!.expected!, found!.actual!), [
      '  {',
      '    "a": {',
      '      "c": 2,',
      '-     "d": 2',
      '+     "d": 1',
      '    },',
      '    "b": 1',
      '  }',
    ]);
  });

  it('shows of a list only what corresponds to the expected items', () => {
    const items = [{ name: 'a' }, { name: 'b', kind: 'x', size: 1 }, { name: 'c', size: 2 }];
    const [found] = checkResult({ result: { items, more: 1 } }, { contains: { items: [{ name: 'b', kind: 'y' }] } });
    assert.deepEqual(JSON.parse(found!.actual!), { items: [{ name: 'b', kind: 'x' }] });
    const [part] = checkResult({ result: { items } }, { matches: [{ path: '$.items[2]', contains: { size: 3 } }] });
    assert.deepEqual(JSON.parse(part!.actual!), { size: 2 });
  });

  it('compares so many items only of a list that lacks what was expected', () => {
    let reads = 0;
    const item = {
      name: 'x',
      get line() {
        return ++reads;
      },
    };
    const hits = Array.from({ length: 5_000 }, () => item);
    const wanted = Array.from({ length: 10 }, () => ({ name: 'y', line: 'none' }));
    const [found] = checkResult({ result: { hits } }, { contains: { hits: wanted } });
    assert.ok(found?.actual);
    assert.ok(reads < 30_000, `${reads}`);
  });

  it('has structured content under its own name', () => {
    const result = { content: [], structuredContent: { total: 3, more: true } };
    assert.deepEqual(checkResult({ result }, { structuredContent: { total: 3 } }), []);
    const [found] = checkResult({ result }, { structuredContent: { total: 4 } });
    assert.deepEqual(
      [found!.expected, found!.actual].map(text => JSON.parse(text!)),
      [{ total: 4 }, { total: 3 }],
    );
    assert.equal(checkResult({ result: {} }, { structuredContent: {} }).length, 1);
  });

  it('is contained in lists in order, with other items between', () => {
    assert.ok(has([1, 2, 3, 4], [2, 4]));
    assert.ok(!has([1, 2, 3, 4], [4, 2]));
    assert.ok(!has([1], [1, 1]));
    assert.ok(!has({}, { toString: {} }));
    assert.ok(has({ a: null }, { a: null }));
    assert.ok(!has({}, { a: null }));
  });
});

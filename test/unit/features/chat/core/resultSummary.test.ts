import assert from 'node:assert/strict';
import { resultSummary } from '../../../../../src/features/chat/core/resultSummary';

const people = Array.from({ length: 2000 }, (_, id) => ({ id, name: `Person ${id}`, ...(id % 2 && { odd: true }) }));

const log = Array.from({ length: 3000 }, (_, i) => `12:00:${i} ${i % 100 === 0 ? 'ERROR' : 'INFO'} step ${i}`).join(
  '\n',
);

const summary = (text: string, data?: unknown) => resultSummary(text.split('\n'), data);

describe('the summary of a long result', () => {
  it('names keys and counts of JSON', () => {
    assert.equal(summary('', people), 'JSON: array of 2000 objects with the keys id, name, odd?');
    assert.equal(
      summary('', { people, next: null, total: 5, page: { size: 1 } }),
      'JSON: object with the keys people (array of 2000 objects with the keys id, name, odd?), next (null), total (number), page (object with the keys size (number))',
    );
    assert.equal(summary('', [[1, 2], []]), 'JSON: array of 2 (array of 2 (number, …), …)');
    assert.equal(summary('', []), 'JSON: empty array');
  });

  it('names columns and rows of a table, levels of a log, or the number of lines', () => {
    assert.equal(summary('id,name\n1,a\n2,b\n3,c'), 'Table of 3 rows with the columns id, name.');
    assert.equal(summary('| id | name |\n| 1 | a |\n| 2 | b |'), 'Table of 2 rows with the columns id, name.');
    assert.equal(summary('a\tb\n1\t2\n3\t4'), 'Table of 2 rows with the columns a, b.');
    assert.match(summary(log), /^Log of 3000 lines: error 30, info 2970\.$/);
    assert.equal(summary('Some words\nand others\nand more'), 'Text of 3 lines.');
    assert.equal(summary(''), 'Text of 1 lines.');
  });

  it('is bounded for any data', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    assert.ok(summary('', deep).length < 200);
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${'k'.repeat(500)}${i}`, i]));
    assert.ok(summary('', keys).length < 4000);
    assert.ok(summary('', [keys]).length < 4000);
    assert.ok(summary(Array.from({ length: 50 }, () => 'c,'.repeat(5000)).join('\n')).length < 4000);
  });
});

import assert from 'node:assert/strict';
import { CheckedTools, type ToolRow } from '../../../../../src/features/chat/core/checkedTools';

const rows: ToolRow[] = [
  { server: 'one', tokens: 30 },
  { server: 'one', key: 'one/a', tokens: 10 },
  { server: 'one', key: 'one/b', tokens: 20 },
  { server: 'two', tokens: 5 },
  { server: 'two', key: 'two/a', tokens: 5 },
];
const [one, oneA, oneB, two, twoA] = rows as [ToolRow, ToolRow, ToolRow, ToolRow, ToolRow];
const all = () => new CheckedTools(rows, () => true);
const boxes = (checked: CheckedTools) => rows.map(row => (checked.isChecked(row) ? 'x' : '-')).join('');

describe('CheckedTools', () => {
  it('starts with the checked tools, and checks a server when all its tools are', () => {
    assert.equal(boxes(new CheckedTools(rows, key => key !== 'one/b')), '-x-xx');
    assert.deepEqual(new CheckedTools(rows, key => key !== 'one/b').totals, { offered: 2, all: 3, tokens: 15 });
  });

  it('checks and unchecks all tools of a server with its box', () => {
    const checked = all();
    checked.take(rows, new Set([oneA, oneB, two, twoA]));
    assert.equal(boxes(checked), '---xx');
    checked.take(rows, new Set([one, two, twoA]));
    assert.equal(boxes(checked), 'xxxxx');
    assert.deepEqual(checked.totals, { offered: 3, all: 3, tokens: 35 });
  });

  it('updates the box of a server with its tools', () => {
    const checked = all();
    checked.take(rows, new Set([one, oneA, two, twoA]));
    assert.equal(boxes(checked), '-x-xx');
    checked.take(rows, new Set([oneA, oneB, two, twoA]));
    assert.equal(boxes(checked), 'xxxxx');
  });

  it('keeps the other servers unchanged while one is shown', () => {
    const checked = new CheckedTools(rows, key => key !== 'one/b');
    checked.take([two, twoA], new Set());
    assert.equal(boxes(checked), '-x---');
    assert.equal(checked.has('one/a'), true);
  });

  it('can uncheck all at once', () => {
    const checked = all();
    checked.take(rows, new Set());
    assert.equal(boxes(checked), '-----');
    assert.deepEqual(checked.totals, { offered: 0, all: 3, tokens: 0 });
  });
});

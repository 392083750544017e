import assert from 'node:assert/strict';
import { CheckedTools, profileOf, type ToolRow } from '../../../../../src/features/chat/core/checkedTools';

const row = (server: string, tool: string, tokens: number, isOutside = false): ToolRow => ({
  ...{ server, key: `${server}\n${tool}`, tokens, isOutside },
});
const rows = [row('one', 'a', 10), row('one', 'b', 20), row('two', 'a', 5)];
const [oneA, oneB, twoA] = rows as [ToolRow, ToolRow, ToolRow];
const boxes = (checked: CheckedTools) => rows.map(tool => (checked.has(tool) ? 'x' : '-')).join('');

describe('CheckedTools', () => {
  it('starts with the checked tools, and counts those of one server or of all', () => {
    const checked = new CheckedTools(rows, key => key !== 'one\nb');
    assert.equal(boxes(checked), 'x-x');
    assert.deepEqual(checked.totals(rows), { offered: 2, all: 3, tokens: 15 });
    assert.deepEqual(checked.totals([oneA, oneB]), { offered: 1, all: 2, tokens: 10 });
  });

  it('takes the boxes of those that are shown, and leaves the others as they are', () => {
    const checked = new CheckedTools(rows, () => true);
    checked.take([oneA, oneB], new Set([oneB]));
    assert.equal(boxes(checked), '-xx');
    checked.take([twoA], new Set());
    assert.equal(boxes(checked), '-x-');
    checked.take(rows, new Set(rows));
    assert.equal(boxes(checked), 'xxx');
  });

  it('does not count what is checked but outside of the profile', () => {
    const all = [...rows, row('two', 'b', 7, true)];
    assert.deepEqual(new CheckedTools(all, () => true).totals(all), { offered: 3, all: 4, tokens: 35 });
  });
});

describe('profileOf', () => {
  const profile = (...checked: string[]) => profileOf(rows, new CheckedTools(rows, key => checked.includes(key)));

  it('names a server all of whose tools are checked, and the checked tools of others', () => {
    assert.deepEqual(profile('two\na', 'one\nb'), { servers: ['two'], tools: ['one/b'] });
    assert.deepEqual(profile('one\nb'), { tools: ['one/b'] });
    assert.deepEqual(profile(), {});
  });
});

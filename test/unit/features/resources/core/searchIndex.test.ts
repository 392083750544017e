import assert from 'node:assert/strict';
import { SearchIndex, scoreField } from '../../../../../src/features/resources/core/searchIndex';

function indexOf(...labels: (string | [label: string, ...others: string[]])[]): SearchIndex<string> {
  const index = new SearchIndex<string>();
  for (const one of labels) {
    const [label, ...others] = typeof one === 'string' ? [one] : one;
    index.add(label, { label, others });
  }
  return index;
}

/** `count` resources that look like those of a large server. */
function large(count: number): SearchIndex<number> {
  const words = ['report', 'invoice', 'meeting', 'release', 'design', 'budget', 'notes', 'summary', 'archive', 'draft'];
  const index = new SearchIndex<number>();
  for (let n = 0; n < count; n++) {
    const [a, b] = [words[n % 10]!, words[Math.floor(n / 10) % 10]!];
    const label = `${a} ${b} ${n}`;
    index.add(n, { label, others: [`${a}-${n}.md`, `store://company/departments/${b}/${n % 97}/${a}-${n}.md`] });
  }
  return index;
}

describe('the search for resources', () => {
  it('ranks a whole word above a prefix, and that above scattered letters', () => {
    const order = indexOf('a r-e-a-d me', 'unread', 'the readme', 'readme.md', 'spread').search('read', 10);
    assert.deepEqual(order, ['readme.md', 'the readme', 'unread', 'spread', 'a r-e-a-d me']);
  });

  it('finds words in any order, in name, title or URI, ignoring case and accents', () => {
    const index = indexOf(['Größe', 'content://odd/1'], ['Guide', 'content://docs/guide.md'], ['Other', 'x:y']);
    assert.deepEqual(index.search('GROSSE', 10), []);
    assert.deepEqual(index.search('grö', 10), ['Größe']);
    assert.deepEqual(index.search('GRO', 10), ['Größe']);
    assert.deepEqual(index.search('md content', 10), ['Guide']);
    assert.deepEqual(index.search('odd größe', 10), ['Größe']);
    assert.deepEqual(index.search('odd other', 10), []);
  });

  it('finds words by some letters, the closer the better', () => {
    const index = indexOf('resource tree view', 'routes', 'rtv', 'random text values everywhere');
    assert.deepEqual(index.search('rtv', 10), ['rtv', 'resource tree view', 'random text values everywhere']);
  });

  it('ranks label matches above URI matches', () => {
    assert.deepEqual(indexOf(['x', 'a://plan'], 'plan b').search('plan', 10), ['plan b', 'x']);
  });

  it('returns all in order for an empty query, up to the limit, first of equals first', () => {
    const index = indexOf('b', 'a', 'c');
    assert.deepEqual(index.search('  ', 2), ['b', 'a']);
    assert.deepEqual(indexOf('aa1', 'aa2', 'aa3').search('aa', 2), ['aa1', 'aa2']);
  });

  it('returns the same for text typed at once or letter by letter, after deletion and after additions', () => {
    const index = large(3_000);
    const query = 'inv bud 12';
    let last: number[] = [];
    for (let end = 1; end <= query.length; end++) last = index.search(query.slice(0, end), 50);
    assert.ok(last.length > 0);
    assert.deepEqual(last, large(3_000).search(query, 50));
    assert.deepEqual(index.search('inv', 50), large(3_000).search('inv', 50));
    index.add(-1, { label: 'inv bud 12', others: [] });
    assert.equal(index.search('inv bud 12', 50)[0], -1);
  });

  it('handles regular expressions, hidden characters and very long text', () => {
    const index = indexOf('(a+)+$', 'x'.repeat(1_000_000), '\u202egnp.exe', '');
    assert.deepEqual(index.search('(a+)+$', 10), ['(a+)+$']);
    assert.equal(index.search('x', 10).length, 2);
    assert.equal(scoreField('', 'a'), 0);
  });

  // How long a key takes is a row of `npm run bench resources`.
  it('examines 100,000 items per key', () => {
    const index = large(100_000);
    const found = ['r', 're', 'rep', 'rep 9', 'q', 'rmd', 'rmd9', 'store notes'].map(
      key => index.search(key, 200).length,
    );
    assert.deepEqual(found, [200, 200, 200, 200, 0, 200, 200, 200]);
  });
});

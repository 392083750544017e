import assert from 'node:assert/strict';
import { PathError, queryJson } from '../../../src/base/jsonPath';

const store = {
  book: [
    { title: 'One', price: 8, tags: ['a', 'b'], isbn: null },
    { title: 'Two', price: 12.5, author: { name: 'N' } },
    { title: "Three's", price: 9, 'odd key': true },
  ],
  bike: { color: 'red', price: 400 },
  limit: 10,
};
const query = (path: string, root: unknown = store) => queryJson(root, path).found;

describe('JSONPath', () => {
  it('has one budget for a whole query, filters within filters and comparisons included', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index);
    for (const path of ['$[?$[?$[?@ == -1]]]', '$[?@ == $]', '$[?$[0] == -1 || $..x]'])
      assert.throws(
        () => query(path, path.includes('== $]') ? [numbers, ...numbers.map(() => [])] : numbers),
        PathError,
        path,
      );
  });

  it('follows names, indexes, slices, wildcards and lists of them', () => {
    for (const [path, found] of [
      ['$', [store]],
      ['$.bike.color', ['red']],
      ["$['bike']['color']", ['red']],
      ['$.book[0].title', ['One']],
      ['$.book[-1]["odd key"]', [true]],
      ['$.book[*].price', [8, 12.5, 9]],
      ['$.book[0,2].price', [8, 9]],
      ['$.book[:2].price', [8, 12.5]],
      ['$.book[::2].price', [8, 9]],
      ['$.book[::-1].price', [9, 12.5, 8]],
      ['$.book[1:9].price', [12.5, 9]],
      ['$.book[-2:].price', [12.5, 9]],
      ['$.bike.*', ['red', 400]],
      ['$..name', ['N']],
      ['$..price', [8, 12.5, 9, 400]],
      ['$.book[0].tags[*]', ['a', 'b']],
      [' $ .bike [ "color" ] ', ['red']],
      ['$.book[0].isbn', [null]],
      ['$.book[5]', []],
      ['$.gone.more', []],
      ['$.book.title', []],
      ['$.bike[0]', []],
      ['$.book[0:2:0]', []],
    ] as const) {
      assert.deepEqual(query(path), found, path);
    }
  });

  it('reads names in any script, and escapes in quotes', () => {
    const root = { 名前: 1, '☺': 2, 'a\nb': 3, 'q"\'': 4, ü: 5, '\\': 6 };
    for (const [path, found] of [
      ['$.名前', [1]],
      ['$.☺', [2]],
      [String.raw`$["a\nb"]`, [3]],
      [String.raw`$['a\u000Ab']`, [3]],
      [String.raw`$['q"\'']`, [4]],
      [String.raw`$["\u00fc"]`, [5]],
      [String.raw`$['\\']`, [6]],
    ] as const) {
      assert.deepEqual(query(path, root), found, path);
    }
  });

  it('filters', () => {
    const titles = (filter: string) => query(`$.book[?${filter}].title`);
    assert.deepEqual(titles('@.price < 10'), ['One', "Three's"]);
    assert.deepEqual(titles('(@.price >= 9 && @.price <= 9) || @.title == "One"'), ['One', "Three's"]);
    assert.deepEqual(titles('@.author'), ['Two']);
    assert.deepEqual(titles('!@.author'), ['One', "Three's"]);
    assert.deepEqual(titles("@.title == 'Three\\'s'"), ["Three's"]);
    assert.deepEqual(titles('@.price > $.limit'), ['Two']);
    assert.deepEqual(titles('@.isbn == null'), ['One']);
    assert.deepEqual(titles('@.gone == @.missing'), ['One', 'Two', "Three's"]);
    assert.deepEqual(titles('@.title > 5'), []);
    assert.deepEqual(titles('@.title != "One"'), ['Two', "Three's"]);
    assert.deepEqual(query('$..[?@.color == "red"].price'), [400]);
  });

  it('names what it does not understand, with the position', () => {
    for (const bad of [
      '',
      'book',
      '$.',
      '$[',
      '$[a]',
      '$.book[?]',
      '$.book[?@.a ==]',
      '$x',
      '$.book[1',
      "$['a",
      '$.a b',
    ]) {
      assert.throws(() => query(bad), PathError, bad);
    }
    assert.throws(() => query('$.a[?length(@)]'), /at character 6 of the path/);
    assert.throws(() => query(`$${'.a'.repeat(400)}`), /at most 500/);
  });

  it('never reaches a prototype', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) assert.deepEqual(query(`$.${name}`), []);
    assert.deepEqual(query('$.__proto__', JSON.parse('{"__proto__": 1}')), [1]);
  });

  it('bounds its work, however large or deep the value @jsonPath.bounds-work-however', () => {
    const many = queryJson(
      Array.from({ length: 5000 }, (_, i) => i),
      '$[*]',
    );
    assert.deepEqual([many.found.length, many.more], [1000, true]);
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    assert.deepEqual(query('$..none', deep), []);
    const wide = Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => 0));
    assert.throws(() => query('$..none', wide), /too many values/);
    assert.throws(() => query(`$[?${'('.repeat(200)}@..*..*..*${')'.repeat(200)}]`, wide), /too many values/);
  });
});

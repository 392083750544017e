import assert from 'node:assert/strict';
import {
  type Folder,
  folderTree,
  type PlacedResource,
} from '../../../../../src/features/resources/core/resourceFolders';

const named = (uri: string, name = uri.split('/').at(-1) || uri): PlacedResource => ({ uri, name });
const shown = (folder: Folder<PlacedResource>): unknown[] => [
  ...folder.folders.map(child => ({ [child.label]: shown(child) })),
  ...folder.resources.map(({ title, name }) => title ?? name),
];
const treeOf = (...uris: string[]) => shown(folderTree(uris.map(uri => named(uri))));

describe('folders of resources', () => {
  it('come from the path; a single scheme and authority get no row', () => {
    assert.deepEqual(treeOf('n:///a/x.md', 'n:///b/y.md', 'n:///z.md'), [{ a: ['x.md'] }, { b: ['y.md'] }, 'z.md']);
  });

  it('begin with scheme and authority when there are several', () => {
    assert.deepEqual(treeOf('file:///a.txt', 'demo://resource/b.txt', 'demo://other/c.txt', 'memo:today'), [
      { 'demo://other': ['c.txt'] },
      { 'demo://resource': ['b.txt'] },
      { 'file://': ['a.txt'] },
      { 'memo:': ['memo:today'] },
    ]);
  });

  it('are none for resources with a scheme and a name', () => {
    assert.deepEqual(treeOf('shop://prices', 'shop://about?lang=en'), ['about?lang=en', 'prices']);
    assert.deepEqual(treeOf('config://app', 'users://1/profile', 'config://server'), [
      { 'config://': ['app', 'server'] },
      { 'users://1': ['profile'] },
    ]);
  });

  it('are joined when one contains only another', () => {
    assert.deepEqual(treeOf('f:///src/main/a.ts', 'f:///src/main/deep/er/b.ts', 'f:///top.ts'), [
      { 'src/main': [{ 'deep/er': ['b.ts'] }, 'a.ts'] },
      'top.ts',
    ]);
    assert.deepEqual(treeOf('a://h/only/x', 'b://h/y'), [{ 'a://h/only': ['x'] }, { 'b://h': ['y'] }]);
  });

  it('lose nothing: resources without path, resources that are also folders, duplicates', () => {
    assert.deepEqual(treeOf('d://r', 'd://r/a', 'd://r/a/b', 'd://r/a'), [{ a: ['b'] }, 'a', 'a', 'r']);
    assert.deepEqual(shown(folderTree([named('xx:/1', 'same'), named('xx:/2', 'same')])), ['same', 'same']);
  });

  it('handle trailing slashes, queries, Windows paths and invalid URIs', () => {
    assert.deepEqual(treeOf('h://x/a/b/', 'h://x/a/c?q=/1/2#/3'), [{ a: ['3', 'h://x/a/b/'] }]);
    assert.deepEqual(treeOf('C:\\dir\\sub\\f.txt', 'C:\\dir\\g.txt'), [
      { 'C:/dir': [{ sub: ['C:\\dir\\sub\\f.txt'] }, 'C:\\dir\\g.txt'] },
    ]);
    assert.deepEqual(treeOf('just text', ''), ['', 'just text']);
    assert.deepEqual(treeOf('constructor:__proto__/toString/x'), [{ '__proto__/toString': ['x'] }]);
  });

  it('are sorted in natural order, ignoring case, folders first', () => {
    assert.deepEqual(treeOf('no:/10', 'no:/9', 'no:/b', 'no:/A', 'no:/z/1', 'no:/ä'), [
      { z: ['1'] },
      '9',
      '10',
      'A',
      'ä',
      'b',
    ]);
    const titled = [
      { uri: 'no:/1', name: 'b', title: 'First' },
      { uri: 'no:/2', name: 'a', title: 'Second' },
    ];
    assert.deepEqual(shown(folderTree(titled)), ['First', 'Second']);
  });

  it('are decoded for display only', () => {
    assert.deepEqual(treeOf('no:/a%20b/x', 'no:/%zz/y', 'no:/a b/z'), [
      { '%zz': ['y'] },
      { 'a b': ['x'] },
      { 'a b': ['z'] },
    ]);
  });

  it('are split when too large to show at once', () => {
    const tree = folderTree(Array.from({ length: 2_500 }, (_, i) => named(`no:/item ${i}`)));
    assert.deepEqual(
      tree.folders.map(({ label }) => label),
      [...['item 0 … item 999', 'item 1000 … item 1999', 'item 2000 … item 2499']],
    );
    assert.equal(tree.resources.length, 0);
    assert.equal(
      tree.folders.reduce((sum, { resources }) => sum + resources.length, 0),
      2_500,
    );
  });

  it('are no more than can be opened, however deep an address is @resourceFolders.bounded-levels', () => {
    const address = `x://h/${'a/'.repeat(5_000_000)}z`;
    const tree = folderTree([named(address, 'deep'), named('x://h/b', 'flat')]);
    assert.deepEqual(shown(tree), [{ [Array(64).fill('a').join('/')]: ['deep'] }, 'flat']);
  });

  it('of 10,000 resources are built with few comparisons each', () => {
    let looks = 0;
    const seen = (uri: string): PlacedResource => ({
      get uri() {
        looks++;
        return uri;
      },
      name: uri,
    });
    const deep = (i: number) => seen(`demo://r/${i % 10}/${i % 1_000}/part-${i % 7}/item-${i}.md`);
    const flat = (i: number) => seen(`demo://r/${(i * 7_919) % 10_000}`);
    for (const make of [deep, flat]) {
      const resources = Array.from({ length: 10_000 }, (_, i) => make(i));
      looks = 0;
      const tree = folderTree(resources);
      assert.ok(tree.folders.length + tree.resources.length > 0);
      assert.ok(looks <= 10 * resources.length, `${looks} looks`);
    }
  });
});

import assert from 'node:assert/strict';
import { EntryNames } from '../../../../../src/features/bundles/core/entryNames';

describe('names of files in a bundle', () => {
  const add = (names: string[], platform: NodeJS.Platform = 'linux') => {
    const all = new EntryNames(platform);
    return names.map(name => all.add(name));
  };
  const refuses = (names: string[], what: RegExp, platform?: NodeJS.Platform) =>
    assert.throws(
      () => add(names, platform),
      (error: Error & { code?: string }) => error.code === 'UNSAFE' && what.test(error.message),
      names.join(),
    );

  it('are split, with folders before or after their files', () => {
    assert.deepEqual(add(['a/b/c.js', 'a/', 'a/b/', 'ü/é.js', 'a/.hidden', 'a/b.js/x']), [
      ['a', 'b', 'c.js'],
      ['a'],
      ['a', 'b'],
      ['ü', 'é.js'],
      ['a', '.hidden'],
      ['a', 'b.js', 'x'],
    ]);
  });

  it('are refused outside of the folder', () => {
    for (const name of ['../x', 'a/../../x', '..', 'a/..', '/etc/passwd', '//server/share', 'C:/x', 'c:x', '../']) {
      refuses([name], /outside of its folder/);
    }
  });

  it('are refused when they are none', () => {
    for (const name of [
      '',
      '/'.repeat(2).slice(2),
      'a//b',
      './a',
      'a/./b',
      'a\0b',
      'a\nb',
      'x'.repeat(1_001),
      'a/'.repeat(70),
    ]) {
      refuses([name], /not a name/);
    }
  });

  it('are refused twice, also if only some systems take them for one', () => {
    refuses(['a.js', 'a.js'], /twice/);
    refuses(['README', 'readme'], /twice/);
    refuses(['A/x', 'a/X'], /twice/);
    refuses(['caf\u00e9', 'cafe\u0301'], /twice/);
    refuses(['a', 'a/b'], /twice/);
    refuses(['a/b', 'a'], /twice/);
  });

  it('are refused on Windows when they are devices, streams or other names there', () => {
    for (const name of ['con', 'aux.js', 'a/COM1', 'a.', 'b ', 'x:y/z', 'a:b', 'a?']) {
      refuses([name], /not a name|outside/, 'win32');
    }
    add(['aux.js', 'a/a:b', 'a.'], 'linux');
  });
});

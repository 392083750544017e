import assert from 'node:assert/strict';
import { type lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, win32 } from 'node:path';
import {
  isWithin,
  type PathSystem,
  pathOf,
  readingsOf,
  realPlace,
  rootUri,
  withDrive,
} from '../../../src/base/filePlace';
import { temporaryFolder } from '../../setup/paths';

const WINDOWS: PathSystem = { platform: 'win32', path: win32 };

describe('pathOf on Windows', () => {
  it('accepts a path on a drive with either separator, long or short, or its URI in any spelling', () => {
    const long = `C:\\${'a folder\\'.repeat(60)}x`;
    for (const text of ['C:\\work\\x.txt', 'c:/work/x.txt', long]) assert.equal(pathOf(text, WINDOWS), text);
    for (const text of ['file:///C:/work/x.txt', 'file:///c%3A/work/x.txt', 'file://localhost/c%3a/work/x.txt'])
      assert.equal(pathOf(text, WINDOWS)?.toLowerCase(), 'c:\\work\\x.txt', text);
    assert.deepEqual(
      readingsOf('file:///c%3A/work/a%20b', WINDOWS)?.map(path => win32.normalize(path)),
      ['c:\\work\\a b', 'c:\\work\\a%20b', 'c:\\work\\a b'],
    );
  });

  it('rejects UNC shares, devices and alternate streams without file access', () => {
    for (const text of [
      '\\\\server\\share\\x',
      '//server/share/x',
      'file://server/share/x',
      '\\\\?\\C:\\work\\x',
      '\\\\.\\C:\\work\\x',
      '\\\\?\\UNC\\server\\share\\x',
      '\\work\\x',
      'C:work',
      'C:',
      'C:\\work\\x:stream',
      'C:\\work\\..\\x',
      'C:\\work\\.. \\x',
      'file:///C:/work/..%5cx',
      '/c:/work',
    ])
      assert.equal(pathOf(text, WINDOWS), undefined, text);
  });

  it('ignores the case of drives and names in isWithin', () => {
    for (const [folder, file] of [
      ['C:\\Work', 'c:\\work\\x'],
      ['c:\\', 'C:\\x'],
      ['\\\\Server\\Share\\work', '\\\\server\\share\\WORK\\x'],
    ] as const) {
      assert.ok(isWithin(folder, file, WINDOWS), file);
      assert.ok(isWithin(folder, folder, WINDOWS));
      assert.ok(!isWithin(file, folder, WINDOWS));
    }
    for (const other of ['c:\\work-2\\x', 'd:\\work\\x', '\\\\server\\share\\work\\x', 'c:\\..x'])
      assert.ok(!isWithin('C:\\Work', other, WINDOWS), other);
  });

  it('writes drive letters as Windows does, and leaves other paths alone', () => {
    assert.equal(withDrive('c:\\Users\\me'), 'C:\\Users\\me');
    assert.equal(withDrive('d:/x'), 'D:/x');
    for (const path of ['C:\\x', '\\\\server\\share', '\\\\?\\c:\\x', '/c:/x', '/home/me'])
      assert.equal(withDrive(path), path);
  });
});

describe('rootUri', () => {
  it('writes a Windows drive as its programs do @filePlace.writes-windows-drive', () => {
    assert.equal(rootUri('file:///c%3A/Users/me/a%20b', 'win32'), 'file:///C:/Users/me/a%20b');
    assert.equal(rootUri('file:///C%3a/', 'win32'), 'file:///C:/');
    assert.equal(rootUri('file:///d:', 'win32'), 'file:///D:');
  });

  it('leaves shares, and names that look like a drive, unchanged', () => {
    const share = 'file://server/share/c%3A/x';
    assert.equal(rootUri(share, 'win32'), share);
    for (const platform of ['linux', 'darwin'] as const)
      assert.equal(rootUri('file:///c%3A/x', platform), 'file:///c%3A/x');
  });
});

describe('realPlace', () => {
  const folder = realpathSync(temporaryFolder());

  it('is that of the nearest folder that exists, with links resolved, for what does not', () => {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('a', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'lost'));
    const at = (path: string) => realPlace(join(folder, path));
    assert.deepEqual(['a/b', 'link/b', 'link/b/c/d', 'link', 'new', 'a/x/y/z'].map(at), [
      ...['a/b', 'a/b', 'a/b/c/d', 'a', 'new', 'a/x/y/z'].map(path => join(folder, path)),
    ]);
    assert.deepEqual(['lost', 'lost/x', 'lost/x/y/z', 'file/x', 'file/x/y/z'].map(at), Array(5).fill(undefined));
  });

  it('asks the disk a few times, however many levels there are', () => {
    let looks = 0;
    const fs = require('node:fs') as { lstatSync: typeof lstatSync };
    const { lstatSync: before } = fs;
    fs.lstatSync = ((path: string) => {
      looks++;
      return before(path);
    }) as typeof lstatSync;
    try {
      const deep = join(folder, 'x/'.repeat(1_500), 'y');
      assert.equal(realPlace(deep), deep);
    } finally {
      fs.lstatSync = before;
    }
    assert.ok(looks > 0 && looks < 20, String(looks));
  });
});

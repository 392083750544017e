import assert from 'node:assert/strict';
import {
  essence,
  extensionOf,
  extensionsOf,
  isJson,
  mediaKindOf,
  mediaKindOfExtension,
  resourceFileName,
} from '../../../../../src/features/resources/core/fileName';
import { randomUris } from '../../../editor/randomUris';

const nameOf = (uri: string, name?: string, mimeType?: string) =>
  resourceFileName({ uri, ...(name !== undefined && { name }), mimeType });

describe('resourceFileName', () => {
  it('is its name, or the end of its URI if only that has an extension', () => {
    assert.equal(nameOf('file:///src/main.ts', 'main.ts'), 'main.ts');
    assert.equal(nameOf('demo://resource/static/document/features.md', 'Features, all of them'), 'features.md');
    assert.equal(nameOf('memo:today', 'Today'), 'Today');
    assert.equal(nameOf('http://host/a%20b/c%C3%A4.txt?x=1.5#y', ''), 'cä.txt');
    assert.equal(nameOf('C:\\Users\\me\\notes.txt'), 'notes.txt');
    assert.equal(nameOf('http://host/folder/'), 'folder');
    assert.equal(nameOf('x://bad%escape/%zz'), '%zz');
    assert.equal(nameOf(''), 'resource');
    assert.equal(nameOf(' ..', ' ..'), 'resource');
  });

  it('gets the extension of the MIME type if it has none', () => {
    assert.equal(nameOf('content://code/greeting', 'greeting', 'text/x-typescript'), 'greeting.ts');
    assert.equal(nameOf('x:a', 'Static Text Resource: 1', 'text/plain'), 'Static Text Resource- 1.txt');
    assert.equal(nameOf('x:a', 'data', 'application/json; charset=utf-8'), 'data.json');
    assert.equal(nameOf('x:a', 'data', 'application/vnd.api+json'), 'data.json');
    assert.equal(nameOf('x:a', 'release v1.2', 'TEXT/MARKDOWN'), 'release v1.2.md');
    assert.equal(nameOf('x:a', 'blob', 'application/octet-stream'), 'blob');
    assert.equal(nameOf('x:a', 'thing', 'constructor/x'), 'thing');
    assert.equal(nameOf('x:a', 'thing', 'constructor'), 'thing');
  });

  it('keeps its own extension, unless that would open the wrong kind of editor', () => {
    assert.equal(nameOf('x:a', 'main.rs', 'text/plain'), 'main.rs');
    assert.equal(nameOf('x:a', 'photo.jpeg', 'image/jpeg'), 'photo.jpeg');
    assert.equal(nameOf('x:a', 'photo.txt', 'image/png'), 'photo.txt.png');
    assert.equal(nameOf('x:a', 'photo.png', 'image/jpeg'), 'photo.png');
    assert.equal(nameOf('x:a', 'about.png', 'text/markdown'), 'about.png.md');
    assert.equal(nameOf('x:a', 'song.mp3', 'application/octet-stream'), 'song.mp3');
  });

  it('leaves well-known names without an extension unchanged', () => {
    for (const name of ['Makefile', 'Dockerfile', 'LICENSE', '.gitignore'])
      assert.equal(nameOf('x:a', name, 'text/plain'), name);
  });

  it('is safe: no slashes, hidden characters or dot segments, and bounded', () => {
    assert.equal(nameOf('x:a', '../../etc/passwd'), '..-..-etc-passwd');
    assert.equal(nameOf('x:a', 'invoice\u202egpj.exe'), 'invoice_gpj.exe');
    assert.equal(nameOf('x:a', 'a\0b\nc\u200b.md'), 'a_b_c_.md');
    assert.equal(nameOf('x:', '..'), 'x');
    const long = nameOf('x:a', `${'🗣'.repeat(200)}.md`);
    assert.ok(long.length <= 100 && long.endsWith('🗣.md'), long);
    for (const uri of randomUris(5_000)) {
      const name = nameOf(uri, uri, 'image/png');
      assert.match(name, /^[^\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]{1,100}$/u);
      assert.ok(name !== '.' && name !== '..' && name.trim() === name, JSON.stringify(name));
    }
  });

  it('recognizes extensions', () => {
    assert.deepEqual(['a.TS', '.env', 'v1.2', 'Mr. Smith', 'a.tar.gz', 'x.', 'README', '.a.json'].map(extensionOf), [
      ...['TS', undefined, undefined, undefined, 'gz', undefined, undefined, 'json'],
    ]);
  });
});

describe('MIME types', () => {
  it('are read ignoring parameters, case and spelling variants', () => {
    assert.equal(essence(' Text/X-TypeScript ;charset=utf-8'), 'text/typescript');
    assert.equal(essence('image/jpg'), 'image/jpeg');
    for (const none of [undefined, '', 'text', 'a/b/c', 'text/ plain', '__proto__', 'x'.repeat(1_000)])
      assert.equal(essence(none), undefined);
  });

  it('have extensions', () => {
    assert.equal(extensionsOf('text/x-python')[0], 'py');
    assert.equal(extensionsOf('application/ld+json')[0], 'json');
    assert.equal(extensionsOf('application/atom+xml')[0], 'xml');
    assert.equal(extensionsOf('image/svg+xml')[0], 'svg');
    assert.deepEqual(
      ['image/svg', 'application/csv'].map(type => extensionsOf(type)[0]),
      ['svg', 'csv'],
    );
    assert.deepEqual(extensionsOf('application/x-unheard-of'), []);
    assert.deepEqual(extensionsOf('__proto__/x'), []);
  });

  it('determine the kind of editor', () => {
    const kinds = {
      'text/anything': 'text',
      'application/json': 'text',
      'application/x-sh': 'text',
      'image/svg+xml': 'text',
      'application/problem+json': 'text',
      'image/png': 'image',
      'audio/mpeg': 'audio',
      'video/mp4': 'video',
      'application/pdf': 'pdf',
      'application/zip': 'binary',
      'application/octet-stream': undefined,
      '': undefined,
    };
    for (const [type, kind] of Object.entries(kinds)) assert.equal(mediaKindOf(type), kind, type);
    assert.deepEqual(['PNG', 'mp3', 'md', 'constructor'].map(mediaKindOfExtension), [
      'image',
      'audio',
      undefined,
      undefined,
    ]);
  });

  it('recognize JSON', () => {
    assert.deepEqual(['application/json', 'text/json', 'a/b+json; x=y', 'application/jsonl', undefined].map(isJson), [
      ...[true, true, true, false, false],
    ]);
  });
});

import assert from 'node:assert/strict';
import { contentOf } from '../../../../../src/features/resources/core/resourceContent';

const text = (uri: string, body = uri, mimeType?: string) => ({ uri, text: body, ...(mimeType && { mimeType }) });
const namesOf = (...uris: string[]) =>
  contentOf({ contents: uris.map(uri => text(uri)) }, 'x:').parts?.map(({ name }) => name);

describe('several contents of one resource', () => {
  it('are parts of their own types, with the bytes of each', () => {
    const { parts = [], shown } = contentOf(
      {
        contents: [
          text('a://s/first.txt', 'The first'),
          text('a://s/second', '{"a":1}', 'application/json'),
          { uri: 'a://s/third.png', mimeType: 'image/png', blob: 'AAEC' },
        ],
      },
      'a://s',
    );
    assert.deepEqual(
      parts.map(({ name, kind, uri, bytes }) => [name, kind, uri, bytes.length]),
      [
        ['first.txt', 'text', 'a://s/first.txt', 9],
        ['second.json', 'text', 'a://s/second', 7],
        ['third.png', 'image', 'a://s/third.png', 3],
      ],
    );
    assert.equal(Buffer.from(parts[1]!.shown).toString(), '{\n  "a": 1\n}');
    assert.equal(Buffer.from(shown).toString(), 'The first');
  });

  it('one alone is no directory, whatever URI it has', () => {
    const content = contentOf({ contents: [text('other:uri', 'x')] }, 'a:b');
    assert.equal(content.parts, undefined);
    assert.equal(Buffer.from(content.shown).toString(), 'x');
  });

  it('have unique names, also on file systems that ignore case', () => {
    assert.deepEqual(namesOf('x:/a/n.txt', 'x:/b/n.txt', 'x:/c/N.TXT', 'x:/d/n (2).txt'), [
      'n.txt',
      'n (2).txt',
      'N (3).TXT',
      'n (2) (2).txt',
    ]);
    assert.deepEqual(namesOf('x:/README', 'y:/README', ''), ['README', 'README (2)', 'resource']);
  });

  it('have safe names: no folder above, no separators, nothing hidden', () => {
    const names = namesOf('x:/..', 'x:/a/..%2f..%2fetc%2fpasswd', 'x:/a%00b', 'x:/a%E2%80%AEgnp.exe', 'x:/.', 'x:/  ');
    assert.ok(names);
    for (const name of names) {
      assert.doesNotMatch(name, /[\\/\p{Cc}\p{Cf}]|^\.+$|^$/u, name);
      assert.equal(name.normalize(), name);
    }
    assert.equal(new Set(names).size, names.length);
  });

  it('that cannot be used are left out; when none can, the error says why', () => {
    const broken = { uri: 'x:/b.bin', blob: '%%%' };
    const { parts = [] } = contentOf({ contents: [broken, text('x:/a.txt')] }, 'x:/b.bin');
    assert.deepEqual(
      parts.map(({ name }) => name),
      ['a.txt'],
    );
    assert.throws(() => contentOf({ contents: [broken, broken] }, 'x:'), /not valid base64/);
  });

  it('may be many', () => {
    const contents = Array.from({ length: 2_000 }, () => text('x:/same.txt'));
    const { parts = [] } = contentOf({ contents }, 'x:');
    assert.equal(new Set(parts.map(({ name }) => name)).size, 2_000);
  });
});

import assert from 'node:assert/strict';
import { contentOf, listedSize } from '../../../../../src/features/resources/core/resourceContent';

const blob = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const one = (content: object, uri = 'x:/a') => contentOf({ contents: [{ uri, ...content } as never] }, uri);

describe('content of a resource', () => {
  it('is the one with the asked URI, else the first', () => {
    const contents = [
      { uri: 'x:1', text: 'one' },
      { uri: 'x:2', text: 'two' },
    ];
    assert.equal(String(contentOf({ contents }, 'x:2').bytes), 'two');
    assert.equal(String(contentOf({ contents }, 'x:3').bytes), 'one');
    assert.throws(() => contentOf({ contents: [] }, 'x:1'), /no contents/);
  });

  it('of bytes is shown as its type says, else its extension, else the bytes', () => {
    const bytes = blob(Buffer.from([0, 255, 1]));
    const kinds = [
      one({ blob: bytes, mimeType: 'image/png' }),
      one({ blob: bytes }, 'x:/a.mp3'),
      one({ blob: bytes, mimeType: 'application/octet-stream' }, 'x:/a.webp?x'),
      one({ blob: bytes }),
      one({ blob: bytes, mimeType: 'application/x-thing' }),
      one({ blob: blob('plain text ä'), mimeType: 'application/octet-stream' }),
      one({ blob: blob(''), mimeType: 'application/zip' }),
      one({ blob: blob('nul \0 in it') }),
    ].map(({ kind }) => kind);
    assert.deepEqual(kinds, ['image', 'audio', 'image', 'binary', 'binary', 'text', 'text', 'binary']);
  });

  it('takes its type from the list when the answer has none', () => {
    const { shown } = contentOf({ contents: [{ uri: 'x:1', text: '[1]' }] }, 'x:1', 'application/json');
    assert.equal(String(shown), '[\n  1\n]');
    assert.equal(String(one({ blob: blob('{"a":1}'), mimeType: 'application/json' }).shown), '{\n  "a": 1\n}');
  });

  it('is refused when its base64 is none, and read with line breaks or without padding', () => {
    for (const wrong of ['%%%', 'abcde', '====', 'ab=c', 'a-_b'])
      assert.throws(() => one({ blob: wrong }), /base64/, wrong);
    for (const right of ['aGVs\r\nbG8=', 'aGVsbG8']) assert.equal(String(one({ blob: right }).bytes), 'hello');
  });

  it('has its listed size only where that can be what is shown', () => {
    const sizes = [{ size: 5 }, { size: 5, mimeType: 'application/json' }, { size: -1 }, { size: 1.5 }, {}];
    assert.deepEqual(sizes.map(listedSize), [5, undefined, undefined, undefined, undefined]);
  });
});

import assert from 'node:assert/strict';
import {
  contentOf,
  formatJson,
  hexDump,
  isLarge,
  listedSize,
  spreadJson,
} from '../../../../../src/features/resources/core/resourceContent';

const blob = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const one = (content: object, uri = 'x:/a') => contentOf({ contents: [{ uri, ...content } as never] }, uri);

describe('contentOf', () => {
  it('picks the content with the requested URI, else the first', () => {
    const contents = [
      { uri: 'x:1', text: 'one' },
      { uri: 'x:2', text: 'two' },
    ];
    assert.equal(String(contentOf({ contents }, 'x:2').bytes), 'two');
    assert.equal(String(contentOf({ contents }, 'x:3').bytes), 'one');
    assert.throws(() => contentOf({ contents: [] }, 'x:1'), /no contents/);
  });

  it('shows bytes by type, else by extension, else as hex', () => {
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
      one({ text: 'nul \0 in it' }),
    ].map(({ kind }) => kind);
    assert.deepEqual(kinds, ['image', 'audio', 'image', 'binary', 'binary', 'text', 'text', 'binary', 'binary']);
  });

  it('is large by its size or its lines', () => {
    const isLargeText = (text: string) => isLarge(one({ text }));
    const [most, lines] = ['x'.repeat(20 * 1024 * 1024), '\n'.repeat(900_000)];
    assert.deepEqual([most, lines, `${most}x`, `${lines}${lines}`].map(isLargeText), [false, false, true, true]);
  });

  it('takes the type from the list when the answer has none', () => {
    const { shown } = contentOf({ contents: [{ uri: 'x:1', text: '[1]' }] }, 'x:1', 'application/json');
    assert.equal(String(shown), '[\n  1\n]');
    assert.equal(String(one({ blob: blob('{"a":1}'), mimeType: 'application/json' }).shown), '{\n  "a": 1\n}');
  });

  it('refuses invalid base64, but allows line breaks and missing padding', () => {
    for (const wrong of ['%%%', 'abcde', '====', 'ab=c', 'a-_b'])
      assert.throws(() => one({ blob: wrong }), /base64/, wrong);
    for (const right of ['aGVs\r\nbG8=', 'aGVsbG8']) assert.equal(String(one({ blob: right }).bytes), 'hello');
  });

  it('trusts the listed size only where it can be the shown one', () => {
    const sizes = [{ size: 5 }, { size: 5, mimeType: 'application/json' }, { size: -1 }, { size: 1.5 }, {}];
    assert.deepEqual(sizes.map(listedSize), [5, undefined, undefined, undefined, undefined]);
  });
});

const text = (uri: string, body = uri, mimeType?: string) => ({ uri, text: body, ...(mimeType && { mimeType }) });
const namesOf = (...uris: string[]) =>
  contentOf({ contents: uris.map(uri => text(uri)) }, 'x:').parts?.map(({ name }) => name);

describe('several contents of one resource', () => {
  it('become parts of their own types, each with its bytes', () => {
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

  it('form no directory when there is only one, whatever its URI', () => {
    const content = contentOf({ contents: [text('other:uri', 'x')] }, 'a:b');
    assert.equal(content.parts, undefined);
    assert.equal(Buffer.from(content.shown).toString(), 'x');
  });

  it('get unique names, also on case-insensitive file systems', () => {
    assert.deepEqual(namesOf('x:/a/n.txt', 'x:/b/n.txt', 'x:/c/N.TXT', 'x:/d/n (2).txt'), [
      'n.txt',
      'n (2).txt',
      'N (3).TXT',
      'n (2) (2).txt',
    ]);
    assert.deepEqual(namesOf('x:/README', 'y:/README', ''), ['README', 'README (2)', 'resource']);
  });

  it('get safe names: no parent folders, separators or hidden characters', () => {
    const names = namesOf('x:/..', 'x:/a/..%2f..%2fetc%2fpasswd', 'x:/a%00b', 'x:/a%E2%80%AEgnp.exe', 'x:/.', 'x:/  ');
    assert.ok(names);
    for (const name of names) {
      assert.doesNotMatch(name, /[\\/\p{Cc}\p{Cf}]|^\.+$|^$/u, name);
      assert.equal(name.normalize(), name);
    }
    assert.equal(new Set(names).size, names.length);
  });

  it('are left out when unusable; if all are, the error names the reason', () => {
    const broken = { uri: 'x:/b.bin', blob: '%%%' };
    const { parts = [] } = contentOf({ contents: [broken, text('x:/a.txt')] }, 'x:/b.bin');
    assert.deepEqual(
      parts.map(({ name }) => name),
      ['a.txt'],
    );
    assert.throws(() => contentOf({ contents: [broken, broken] }, 'x:'), /not valid base64/);
  });

  it('can be many', () => {
    const contents = Array.from({ length: 2_000 }, () => text('x:/same.txt'));
    const { parts = [] } = contentOf({ contents }, 'x:');
    assert.equal(new Set(parts.map(({ name }) => name)).size, 2_000);
  });
});

describe('formatJson', () => {
  it('spreads minified JSON over lines as JSON.stringify does', () => {
    const values = [
      { name: 'x', list: [1, -2.5e3, { deep: [true, null, 'a,b:{"[\\"]}'] }], empty: {}, none: [], '': '' },
      [[], {}, [[]], [{}], 'ä\u2028🗣'],
      'text',
      0,
    ];
    for (const value of values) assert.equal(formatJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(formatJson('  { "a" : [ ] , "b":[ 1 ] }\t'), '{\n  "a": [],\n  "b": [\n    1\n  ]\n}');
  });

  it('changes only white space: long numbers, duplicate keys and order stay', () => {
    const text = '{"2":12345678901234567890,"1":1.10,"2":1E+2,"s":"\\u0041  \\/"}';
    assert.equal(formatJson(text).replace(/\n\s*/g, '').replaceAll('": ', '":'), text);
  });

  it('leaves alone invalid, multi-line, oversized and too deep JSON', () => {
    for (const text of ['', 'no', '{"a":}', '{\n"a":1}', '[1] [2]', "{'a':1}"]) assert.equal(formatJson(text), text);
    const large = `["${'x'.repeat(6_000_000)}"]`;
    assert.equal(formatJson(large), large);
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    assert.equal(formatJson(deep), deep);
    const wide = `${'['.repeat(99)}${'1,'.repeat(1_000_000)}1${']'.repeat(99)}`;
    assert.equal(formatJson(wide), wide);
  });

  it('handles a long string', () => {
    const text = `["${'\\"x'.repeat(1_000_000)}"]`;
    assert.equal(formatJson(text), `[\n  ${text.slice(1, -1)}\n]`);
  });
});

describe('spreadJson', () => {
  it('has one line for each member, and keeps the digits of numbers', () => {
    const text = '{"a":[1,{"b":12345678901234567890.10}],"c":{},"d":[ ],"e":"{,:\\"}"}';
    const pretty = spreadJson(text);
    assert.equal(
      pretty,
      '{\n  "a": [\n    1,\n    {\n      "b": 12345678901234567890.10\n    }\n  ],\n  "c": {},\n  "d": [],\n  "e": "{,:\\"}"\n}',
    );
    assert.deepEqual(JSON.parse(pretty), JSON.parse(text));
  });

  it('accepts truncated text', () => {
    assert.equal(spreadJson('{"a":"b'), '{\n  "a": "b');
    assert.equal(spreadJson('nope }]'), 'nope\n}\n]');
  });

  it('takes linear time for one long text', () => {
    const long = JSON.stringify({ data: 'ab\\'.repeat(300_000) });
    assert.equal(JSON.parse(spreadJson(long)).data.length, 900_000);
  });
});

describe('hexDump', () => {
  it('has offset, bytes and ASCII on each line', () => {
    const bytes = Buffer.from('Hello, world!\n\0\x7fABC');
    assert.equal(
      hexDump(bytes),
      '00000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 0a 00 7f  Hello, world!...\n' +
        '00000010  41 42 43                                          ABC\n',
    );
  });

  it('is empty for no bytes, and bounded', () => {
    assert.equal(hexDump(new Uint8Array()), '');
    const lines = hexDump(new Uint8Array(100), 40).trimEnd().split('\n');
    assert.equal(lines.length, 3);
    assert.equal(lines[2]?.trimEnd(), `00000020  ${'00 '.repeat(8).trim()}${' '.repeat(27)}........`);
  });
});

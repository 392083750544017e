import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { dataWithoutBytes, type FoundBytes, withoutBytes } from '../../../src/base/bytesInText';
import { chequeredPng } from '../../servers/content/png';

const png = chequeredPng(160);
const picture = png.toString('base64');
/** Bytes of no known type that look like any: each hash is that of the one before. */
const noise = Buffer.concat(Array.from({ length: 200 }, (_, at) => createHash('sha256').update(`${at}`).digest()));
const base64 = noise.toString('base64');
const wrapped = (text: string, width: number, lineBreak = '\n') =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineBreak);
const jwt = [JSON.stringify({ alg: 'RS256' }), 'x'.repeat(5000), base64]
  .map(part => Buffer.from(part).toString('base64url'))
  .join('.');

describe('bytes in a text', () => {
  const PNG = `[image/png, 160 × 160, ${png.length} B]`;
  const BYTES = '[application/octet-stream, 6.3 KB]';
  const cases: Record<string, [text: string, shown: string]> = {
    'a picture among words': [`Look: ${picture}. There!`, `Look: ${PNG}. There!`],
    'a data: URI': [`![x](data:image/png;base64,${picture})`, `![x](${PNG})`],
    'a data: URI with parameters': [
      `data:text/x;charset=utf-8;base64,${Buffer.from('a '.repeat(200)).toString('base64')}`,
      '[text/x, 400 B]',
    ],
    'a data: URI of zeros': [
      `data:;base64,${Buffer.alloc(300).toString('base64')}`,
      '[application/octet-stream, 300 B]',
    ],
    'bytes of no known type': [`<b>${base64}</b>`, `<b>${BYTES}</b>`],
    'the alphabet for URLs': [`?x=${noise.toString('base64url')}&y`, `?x=${BYTES}&y`],
    'a text file': [Buffer.from('Grüße. '.repeat(900)).toString('base64'), '[text/plain, 7.9 KB]'],
    'a text that was cut off': [`${base64.slice(0, 5_001)}…`, '[application/octet-stream, 3.7 KB]…'],
    JSON: [JSON.stringify({ a: picture, b: [base64] }), `{"a":"${PNG}","b":["${BYTES}"]}`],
    'JSON of PHP': [JSON.stringify({ a: base64 }).replaceAll('/', '\\/'), `{"a":"${BYTES}"}`],
    'JSON of .NET': [
      JSON.stringify({ a: `${base64}==` })
        .replaceAll('+', '\\u002B')
        .replaceAll('=', '\\u003D'),
      `{"a":"${BYTES}"}`,
    ],
    'JSON in JSON': [
      JSON.stringify({ a: JSON.stringify({ b: wrapped(picture, 76) }) }),
      JSON.stringify({ a: JSON.stringify({ b: PNG }) }),
    ],
    'lines of a mail': [`base64\r\n\r\n${wrapped(base64, 76, '\r\n')}\r\n--next`, `base64\r\n\r\n${BYTES}\r\n--next`],
    'a certificate': [
      `-----BEGIN X-----\n${wrapped(base64, 64)}\n-----END X-----`,
      `-----BEGIN X-----\n${BYTES}\n-----END X-----`,
    ],
    'lines before and after': [`one\n${wrapped(picture, 60)}\nEnd\n`, `one\n${PNG}\nEnd\n`],
  };
  for (const [name, [text, shown]] of Object.entries(cases)) {
    it(`are named in their place: ${name}`, () => {
      assert.equal(withoutBytes(text), shown);
      assert.equal(withoutBytes(shown), shown, 'what is named has no bytes');
    });
  }

  const others: Record<string, string> = {
    'a hash': createHash('sha512').update('x').digest('base64'),
    'a list of hashes': Array.from({ length: 300 }, (_, at) =>
      createHash('sha384').update(`${at}`).digest('base64'),
    ).join('\n'),
    'a short picture': picture.slice(0, 255),
    'a cursor': base64.slice(0, 4_095),
    'a JWT': jwt,
    hexadecimal: noise.toString('hex').repeat(2),
    genes: 'ACGTTGCA'.repeat(2_000),
    'a line': '-'.repeat(9_000),
    paths: '/usr/lib/node/Modules9/some/package'.repeat(500).replaceAll('e/', 'e.'),
    words: 'Lorem ipsum dolor sit amet 42. '.repeat(500),
  };
  for (const [name, text] of Object.entries(others)) {
    it(`are not seen in ${name}`, () => assert.equal(withoutBytes(text), text));
  }

  it('are handed out whole, in their order, and a note can say more', () => {
    const found: FoundBytes[] = [];
    const text = withoutBytes(`${picture} and ${base64}`, one => `<${found.push(one)}>`);
    assert.equal(text, '<1> and <2>');
    assert.deepEqual(
      found.map(({ bytes }) => Buffer.from(bytes)),
      [png, noise],
    );
  });

  it('are replaced in data: in values and names at any depth; the rest stays the same object', () => {
    const deep = { a: [{ b: picture, [base64]: null }], c: 1 };
    assert.deepEqual(dataWithoutBytes(deep), { a: [{ b: PNG, [BYTES]: null }], c: 1 });
    const plain = { a: ['x'.repeat(300), { b: 'y' }] };
    assert.equal(dataWithoutBytes(plain), plain);
    assert.equal(dataWithoutBytes(undefined), undefined);
  });

  it('take time in proportion to the text, whatever it is made of', () => {
    // Each would take hours if a part of it were looked at once for each other part.
    for (const part of [
      '\\',
      'a\\/',
      `${'a'.repeat(48)}\n`,
      `${'a'.repeat(48)}=`,
      `${'a'.repeat(47)} `,
      '\r',
      'data:',
      '\\r',
    ])
      assert.equal(typeof withoutBytes('A'.repeat(60) + part.repeat(500_000 / part.length)), 'string', part);
  });
});

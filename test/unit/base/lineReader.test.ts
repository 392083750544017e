import assert from 'node:assert/strict';
import { LineReader } from '../../../src/base/processes';
import { bytesTouched } from '../host/transport/bytesTouched';

function read(chunks: (string | Buffer)[], maxBytes = 1_000): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = new LineReader(maxBytes, () => tooLong++);
  const take = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line);
  };
  for (const chunk of chunks) {
    reader.push(Buffer.from(chunk));
    take();
  }
  const rest = reader.rest();
  if (rest !== undefined) lines.push(rest);
  return { lines, tooLong };
}

describe('LineReader', () => {
  it('splits lines wherever the chunks are cut', () => {
    const text = '{"a":1}\n{"b":"ü"}\r\n\n{"c":3}\n';
    for (let size = 1; size <= text.length; size++) {
      const bytes = Buffer.from(text);
      const chunks = [];
      for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
      assert.deepEqual(read(chunks).lines, ['{"a":1}', '{"b":"ü"}', '{"c":3}'], `chunks of ${size} bytes`);
    }
  });

  it('delivers a last line without a newline', () => {
    assert.deepEqual(read(['one\ntwo']).lines, ['one', 'two']);
  });

  it('drops an oversized line, reports it once, and continues', () => {
    const { lines, tooLong } = read(['x'.repeat(600), 'x'.repeat(600), 'x'.repeat(600), '\nshort\n']);
    assert.deepEqual(lines, ['short']);
    assert.equal(tooLong, 1);
  });

  it('hands out lines of several chunks one by one', () => {
    const reader = new LineReader(1_000, () => {});
    for (const chunk of ['a\nb', 'c\n', 'd\n']) reader.push(Buffer.from(chunk));
    assert.deepEqual([reader.next(), reader.next(), reader.next(), reader.next()], ['a', 'bc', 'd', undefined]);
  });

  it('returns the trimmed lines completed by a chunk, without blank ones', () => {
    const reader = new LineReader(1_000, () => {});
    assert.deepEqual([...reader.add(Buffer.from(' a\n\t \r\nb'))], ['a']);
    assert.deepEqual([...reader.add(Buffer.from('c \r\nd'))], ['bc']);
  });

  it('drops an oversized line that came in one chunk', () => {
    assert.deepEqual(read([`${'x'.repeat(1_001)}\nshort\n`]), { lines: ['short'], tooLong: 1 });
  });

  it('replaces invalid UTF-8 by replacement characters', () => {
    assert.deepEqual(read([Buffer.from([0x61, 0xff, 0xc3, 0x0a])]).lines, ['a\ufffd\ufffd']);
  });

  it('reads a long line in linear time', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const size = 512 * chunk.length;
    const touched = bytesTouched(() => {
      const reader = new LineReader(1e9, () => {});
      for (let i = 0; i < 512; i++) {
        reader.push(chunk);
        assert.equal(reader.next(), undefined);
      }
      reader.push(Buffer.from('\n'));
      assert.equal(reader.next()?.length, size);
    });
    // Looked through, joined, decoded.
    assert.ok(touched < 3.1 * size, `${touched / size} times`);
  });
});

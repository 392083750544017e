import assert from 'node:assert/strict';
import { LineReader } from '../../../src/host/transport/lineReader';

function read(chunks: (string | Buffer)[], maxBytes = 1_000): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = new LineReader(
    maxBytes,
    line => lines.push(line),
    () => tooLong++,
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
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

  it('delivers a last line without newline at the end', () => {
    assert.deepEqual(read(['one\ntwo']).lines, ['one', 'two']);
  });

  it('drops a line over the limit, reports it once, and goes on with the next', () => {
    const { lines, tooLong } = read(['x'.repeat(600), 'x'.repeat(600), 'x'.repeat(600), '\nshort\n']);
    assert.deepEqual(lines, ['short']);
    assert.equal(tooLong, 1);
  });

  it('reads a long line in linear time', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const time = (chunks: number): number => {
      const reader = new LineReader(
        1e9,
        () => {},
        () => {},
      );
      const start = performance.now();
      for (let i = 0; i < chunks; i++) reader.push(chunk);
      reader.push(Buffer.from('\n'));
      return performance.now() - start;
    };
    time(64);
    const small = Math.max(1, time(64));
    // 8 times the bytes: a quadratic reader takes 64 times as long.
    assert.ok(time(512) < small * 32);
  });
});

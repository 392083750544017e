import assert from 'node:assert/strict';
import { LineReader, plainData, plainText } from '../../../src/base/processes';
import type { HostPorts, LogEntry } from '../../../src/host/definition/ports';
import { guardPorts, Redactor } from '../../../src/host/secrets/redactor';
import { TestHost } from '../host/testHost';
import { bytesTouched } from '../host/transport/bytesTouched';

function read(chunks: (string | Buffer)[], maxBytes = 1_000): { lines: string[]; tooLong: number; skipped: string[] } {
  const lines: string[] = [];
  const skipped: string[] = [];
  let tooLong = 0;
  const reader = new LineReader(
    maxBytes,
    () => tooLong++,
    (start, end) => skipped.push(`${start} … ${end}`),
  );
  const take = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line);
  };
  for (const chunk of chunks) {
    reader.push(Buffer.from(chunk));
    take();
  }
  const rest = reader.rest();
  if (rest !== undefined) lines.push(rest);
  return { lines, tooLong, skipped };
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

  it('hands out the edges of an oversized line at its end, wherever the chunks are cut', () => {
    const line = `${'a'.repeat(1_000)}${'-'.repeat(4_000)}${'z'.repeat(1_000)}`;
    for (const size of [1_000, 1_001, 6_001, 7_000]) {
      const bytes = Buffer.from(`short\n${line}\nshort\n`);
      const chunks = [];
      for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
      const { lines, skipped } = read(chunks);
      assert.deepEqual(lines, ['short', 'short']);
      const [start = '', end] = skipped[0]?.split(' … ') ?? [];
      assert.match(start, /^a{100,1000}$/, `chunks of ${size} bytes`);
      assert.equal(end, 'z'.repeat(1_000));
    }
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
    const { lines, tooLong } = read([`${'x'.repeat(1_001)}\nshort\n`]);
    assert.deepEqual({ lines, tooLong }, { lines: ['short'], tooLong: 1 });
  });

  it('replaces invalid UTF-8 by replacement characters @processes.replaces-invalid-utf', () => {
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

const ESC = '\u001b';

describe('terminalText', () => {
  const cases: Record<string, [string, string]> = {
    'colours, of 256 and of 16 million too': [`${ESC}[1;31mred${ESC}[0m ${ESC}[38;2;1;2;3mx${ESC}[m`, 'red x'],
    'moves of the cursor and what erases': [`a${ESC}[2K${ESC}[1Gb${ESC}[?25l${ESC}[10;20Hc${ESC}7${ESC}8`, 'abc'],
    'links, ended in either way': [
      `${ESC}]8;;https://x.example/${ESC}\\here${ESC}]8;;${ESC}\\ ${ESC}]8;;file:///a\u0007there${ESC}]8;;\u0007`,
      'here there',
    ],
    'titles and other strings': [`${ESC}]0;title\u0007a${ESC}P1$r0m${ESC}\\b`, 'ab'],
    'the forms of eight bits': ['\u009b31mred\u009b0m\u009d0;title\u009c.', 'red.'],
    'choices of a character set': [`${ESC}(Ba${ESC}#8b`, 'ab'],
    'progress, of which the last is left': ['10 %\r50 %\r100 %', '100 %'],
    'progress that is wiped at its end': ['done\r      \r', 'done'],
    'line ends of Windows': ['a\r\nb\r\n', 'a\nb\n'],
    'what was typed over': ['-\b\\\b|\b/ ab\bc', '/ ac'],
  };
  for (const [what, [text, plain]] of Object.entries(cases)) {
    it(`removes ${what}`, () => assert.equal(plainText(text), plain));
  }

  it('hides nothing behind an unfinished command', () => {
    assert.equal(plainText(`a${ESC}]8;;https://x and all the rest`), 'a8;;https://x and all the rest');
    assert.equal(plainText(`a${ESC}[`), 'a');
    assert.equal(plainText(`a${ESC}`), `a${ESC}`);
  });

  // What looked for the end of each again would take hours.
  it('takes linear time for any input', () => {
    for (const piece of [`${ESC}]`, `${ESC}[`, `${ESC}[0`, `${ESC}(`, '\r', '\b', `${ESC}]8;;x`])
      assert.ok(plainText(piece.repeat(1_000_000)).length <= piece.length * 1_000_000);
  });

  it('cleans the strings in structured data, and returns clean data unchanged', () => {
    const data = { a: 'x', b: [1, null, { c: true }] };
    assert.equal(plainData(data), data);
    assert.deepEqual(plainData({ a: `${ESC}[31mred${ESC}[0m`, b: [`${ESC}[1mx`, 2] }), { a: 'red', b: ['x', 2] });
    assert.equal(plainData(undefined), undefined);
    const long = 'x'.repeat(1_000_000);
    assert.equal(plainData(long), `${long.slice(0, 200_000)}…`);
    assert.match(String(plainData({ a: [long] })), /^\{"a":\["x{199000,200000}…$/);
    const nested: unknown = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    assert.equal(plainData({ nested }), '(data of more than 500 levels)');
    assert.equal(plainData(7), 7);
  });
});

describe('log entries', () => {
  it('contain no secrets in text, logger or data, even with a colour code inside the secret', () => {
    const entries: LogEntry[] = [];
    const redactor = new Redactor();
    redactor.learn('a', ['correct-horse-battery']);
    const ports = { log: { log: (_: unknown, entry: LogEntry) => void entries.push(entry) } } as unknown as HostPorts;
    const { log } = guardPorts(ports, redactor, {} as never);
    const coloured = `correct-${ESC}[31mhorse${ESC}[0m-battery`;
    for (const secret of ['correct-horse-battery', coloured]) {
      log.log({} as never, { source: 'stderr', level: 'info', data: `token ${secret}` });
      log.log({} as never, {
        source: 'server',
        level: 'error',
        logger: `db ${secret}`,
        data: { nested: [{ token: secret }], [secret]: 1 },
      });
    }
    assert.equal(entries.length, 4);
    for (const entry of entries) {
      const text = JSON.stringify(entry);
      assert.match(text, /•••/);
      assert.doesNotMatch(text, /correct-horse|horse-battery/);
    }
  });

  it('with many unfinished commands are cleaned in linear time @processes.many-unfinished-commands', () => {
    // Each would be followed for 10,000 characters: minutes for this text.
    const begun = '\u0090'.repeat(1_000_000);
    assert.equal(plainText(begun), begun);
    assert.equal(plainText(`${begun}1;2\u009cafter`), `${begun.slice(1)}after`);
  });

  it('from stderr contain neither colours nor progress steps, and neither do errors', async () => {
    await using test = new TestHost();
    const script = `process.stderr.write(${JSON.stringify(`1 %\r99 %\r100 %\n${ESC}[31mno such table${ESC}[0m\n${ESC}[2K\n`)}); process.exitCode = 3`;
    test.configure({ one: { command: process.execPath, args: ['-e', script] } });
    const { error } = await test.reaches('one', 'failed');
    const lines = test.logs.filter(({ source }) => source === 'stderr').map(({ data }) => data);
    // It is started once more without the probe.
    assert.deepEqual([...new Set(lines)], ['100 %', 'no such table']);
    assert.deepEqual(error.stderrTail, ['100 %', 'no such table']);
  });
});

import assert from 'node:assert/strict';
import { EventReader } from '../../../../src/host/reading/eventReader';
import { tooLarge } from '../../../../src/host/transport/transportFault';
import { bytesTouched } from '../transport/bytesTouched';

const read = (reader: EventReader, text: string) => [...reader.read(Buffer.from(text))];

describe('an event stream', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    const text = ['\ufeffdata: naïve 🗣', 'data:two', '', ': a comment', 'event: endpoint', 'data', '', ''].join(end);
    const expected = [
      { event: undefined, data: 'naïve 🗣\ntwo' },
      { event: 'endpoint', data: '' },
    ];

    it(`with ${name} line ends is read, whole and byte by byte`, () => {
      // What follows a CR tells whether the line has ended.
      assert.deepEqual(read(new EventReader(1_000), `${text}:`), expected);
      const reader = new EventReader(1_000);
      assert.deepEqual(
        [...Buffer.from(`${text}:`)].flatMap(byte => [...reader.read(Buffer.of(byte))]),
        expected,
      );
    });
  }

  it('gives the id and the pause for resuming @eventReader.gives-id-pause', () => {
    const reader = new EventReader(1_000);
    read(reader, 'id: 7\nretry: 250\ndata:\n\nretry: soon\n\n');
    assert.deepEqual([reader.lastEventId, reader.retryMs], ['7', 250]);
  });

  it('drops an unfinished event when another stream begins', () => {
    const reader = new EventReader(1_000);
    read(reader, 'data: half\nda');
    reader.reset();
    assert.deepEqual(read(reader, 'data: new\n\n'), [{ event: undefined, data: 'new' }]);
  });

  it('is bounded for each event, not for all of them, nor for comments @eventReader.bounded-event-comments', () => {
    const reader = new EventReader(100, tooLarge);
    for (let i = 0; i < 10; i++)
      assert.equal(read(reader, `: ${'x'.repeat(90)}\ndata: ${'x'.repeat(80)}\n\n`).length, 1);
    assert.throws(() => read(reader, `data: ${'x'.repeat(200)}`), { code: 'TOO_LARGE' });
    assert.throws(() => read(new EventReader(100, tooLarge), 'data: 45678\n'.repeat(20)), { code: 'TOO_LARGE' });
  });

  it('is bounded in its lines, however little stands in them @eventReader.bounded-lines', () => {
    for (const line of ['data', 'data:']) {
      const reader = new EventReader(1_000, tooLarge);
      assert.throws(() => read(reader, `${line}\n`.repeat(100)), { code: 'TOO_LARGE' }, line);
    }
    const bare = new EventReader(1_000, tooLarge);
    assert.throws(() => read(bare, `{\n${`${'x'.repeat(100)}\n\n`.repeat(100)}`), { code: 'TOO_LARGE' });
  });

  it('of 32 MB in small pieces is read in linear time @eventReader.32-mb-small', () => {
    const reader = new EventReader(64 * 1024 * 1024);
    const piece = Buffer.alloc(64 * 1024, 'x');
    const size = 512 * piece.length;
    const touched = bytesTouched(() => {
      read(reader, 'data: ');
      for (let i = 0; i < 512; i++) assert.equal([...reader.read(piece)].length, 0);
      assert.equal(read(reader, '\n\n')[0]?.data.length, size);
    });
    // Looked through for both line ends, joined, decoded.
    assert.ok(touched < 4.1 * size, `${touched / size} times`);
  });
});

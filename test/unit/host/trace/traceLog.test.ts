import assert from 'node:assert/strict';
import { MAX_KEPT, TraceLog } from '../../../../src/host/trace/traceLog';

describe('trace log', () => {
  const texts = (log: TraceLog) => log.records().map(({ text }) => text);

  it('keeps nothing until it is turned on, and nothing more once it is off', () => {
    const log = new TraceLog();
    log.write('a', 'sent', '1');
    assert.equal(log.isOn, false);
    log.limit({ messages: 10, size: 100 });
    log.write('a', 'sent', '2');
    log.write('b', 'received', '3');
    assert.deepEqual(
      log.records().map(({ seq, server, direction, text, size }) => [seq, server, direction, text, size]),
      [
        [1, 'a', 'sent', '2', 1],
        [2, 'b', 'received', '3', 1],
      ],
    );
    log.limit({ messages: 0, size: 0 });
    log.write('a', 'sent', '4');
    assert.deepEqual(texts(log), []);
  });

  it('forgets the oldest, by number and by size', () => {
    const log = new TraceLog();
    log.limit({ messages: 3, size: 10 });
    for (const text of ['1', '2', '3', '4', '5']) log.write('a', 'sent', text);
    assert.deepEqual(texts(log), ['3', '4', '5']);
    log.write('a', 'sent', '123456789');
    assert.deepEqual(texts(log), ['5', '123456789']);
    log.write('a', 'sent', '12345678901234567890');
    assert.deepEqual(texts(log), ['12345678901234567890'], 'the last message is always there');
  });

  it('keeps the newest when its limits change, in either direction', () => {
    const log = new TraceLog();
    log.limit({ messages: 4, size: 100 });
    for (const text of ['1', '2', '3', '4', '5']) log.write('a', 'sent', text);
    log.limit({ messages: 2, size: 100 });
    assert.deepEqual(texts(log), ['4', '5']);
    log.limit({ messages: 5, size: 100 });
    log.write('a', 'sent', '6');
    assert.deepEqual(texts(log), ['4', '5', '6']);
    assert.equal(log.records().at(-1)?.seq, 6);
  });

  it('keeps the start of a huge message and says how long it was', () => {
    const log = new TraceLog();
    log.limit({ messages: 4, size: 10 * MAX_KEPT });
    log.write('a', 'received', 'x'.repeat(MAX_KEPT + 5));
    const [record] = log.records();
    assert.equal(record?.text.length, MAX_KEPT);
    assert.equal(record?.size, MAX_KEPT + 5);
  });
});

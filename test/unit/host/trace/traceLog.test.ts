import assert from 'node:assert/strict';
import { Redactor } from '../../../../src/host/secrets/redactor';
import { MAX_KEPT, TraceLog } from '../../../../src/host/trace/traceLog';
import { assertKept } from '../../keptMemory';

describe('TraceLog', () => {
  const texts = (log: TraceLog) => log.records().map(({ text }) => text);

  it('keeps nothing before it is turned on, and nothing more once off', () => {
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

  it('drops the oldest, by number and by size', () => {
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

  it('keeps the start of a huge message and its original length', () => {
    const log = new TraceLog();
    log.limit({ messages: 4, size: 10 * MAX_KEPT });
    log.write('a', 'received', 'x'.repeat(MAX_KEPT + 5));
    const [record] = log.records();
    assert.equal(record?.text.length, MAX_KEPT);
    assert.equal(record?.size, MAX_KEPT + 5);
  });

  it('keeps only the starts of many huge messages in memory', async () => {
    const log = new TraceLog();
    log.limit({ messages: 100, size: 100 * MAX_KEPT });
    await assertKept(50 * MAX_KEPT, () => {
      for (let i = 0; i < 10; i++) log.write('a', 'received', Buffer.alloc(8 * MAX_KEPT, 'x').toString());
    });
    assert.equal(log.records().length, 10);
  });

  it('returns those after a known number', () => {
    const log = new TraceLog();
    log.limit({ messages: 3, size: 100 });
    for (const text of ['1', '2', '3', '4', '5']) log.write('a', 'sent', text);
    const after = (seq: number) => log.records(seq).map(({ seq, text }) => [seq, text]);
    assert.deepEqual(after(4), [[5, '5']]);
    assert.deepEqual(after(1), [
      [3, '3'],
      [4, '4'],
      [5, '5'],
    ]);
    assert.deepEqual(after(5), []);
    assert.deepEqual(after(99), []);
    log.clear();
    log.write('a', 'sent', '6');
    assert.deepEqual(after(0), [[6, '6']]);
  });

  it('redacts also where a huge message is cut within a secret', () => {
    const secret = 'sk-live-aB3dE5gH7jK9mN1pQ3';
    const redactor = new Redactor();
    redactor.learn('a', [secret]);
    const log = new TraceLog(text => redactor.text(text));
    log.limit({ messages: 3, size: 10 * MAX_KEPT });
    log.write('a', 'received', `{"token":"${secret}"}`);
    log.write('a', 'received', `${'x'.repeat(MAX_KEPT - 12)}${secret} and more`);
    const [whole, cut] = log.records().map(record => log.readable(record));
    assert.equal(whole, '{"token":"•••"}');
    assert.equal(cut?.slice(MAX_KEPT - 13), 'x•••…');
  });
});

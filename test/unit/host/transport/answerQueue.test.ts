import assert from 'node:assert/strict';
import { AnswerQueue } from '../../../../src/host/transport/answerQueue';
import { waitFor } from '../../../servers/spawn';
import { HttpTest } from '../httpHost';

describe('answers to what a server asks', () => {
  const never = () => new Promise<void>(() => {});
  const answer = (text = '') => ({ jsonrpc: '2.0', id: 1, result: { text } });

  it('go out a few at a time, the next when one was taken', async () => {
    const queue = new AnswerQueue(1_000_000);
    const taken: (() => void)[] = [];
    const all = Array.from({ length: 100 }, () =>
      queue.send(answer(), () => new Promise<void>(resolve => taken.push(resolve))),
    );
    await waitFor(() => taken.length === 32, { what: 'the first' });
    for (let n = 0; n < all.length; n++) {
      await waitFor(() => taken[n] !== undefined, { what: 'the next' });
      taken[n]!();
    }
    await Promise.all(all);
  });

  it('are not kept without end for a server that takes none', async () => {
    const queue = new AnswerQueue(1_000);
    void queue.send(answer('x'.repeat(2_000)), never);
    await assert.rejects(queue.send(answer(), never), /it does not read what is sent to it/);
    const many = new AnswerQueue(Number.POSITIVE_INFINITY);
    const sent = Array.from({ length: 20_000 }, () =>
      many.send(answer(), never).catch((error: Error) => error.message),
    );
    const refused = await Promise.race([Promise.all(sent.slice(-5)), sent[0]]);
    assert.deepEqual(refused, Array(5).fill('it does not read what is sent to it'));
    many.close();
  });
});

describe('a server over HTTP that asks without end', () => {
  const test = new HttpTest();
  after(() => test.close());

  it('and takes no answer has a few connections open, and goes on', async () => {
    const server = await test.start(['--http-pings=500']);
    await test.host.loads('bad');
    assert.equal(await test.call(), 'hello');
    await waitFor(() => test.host.logged(/all pings are sent/), { what: 'the pings' });
    await test.others();
    const waiting = () => server.stderr.filter(line => line.includes('waits')).length;
    await waitFor(() => waiting() >= 32, { what: 'answers' });
    assert.equal(waiting(), 32);
    assert.equal(test.host.server('bad').state.kind, 'ready');
  });
});

import assert from 'node:assert/strict';
import { type HostAnswer, HostQuestions } from '../../../../../src/features/sandbox/core/hostQuestions';
import { waitFor } from '../../../../servers/spawn';

describe('questions about hosts of confined servers', () => {
  let asked: { hosts: readonly string[]; answer(answer: HostAnswer): void }[];
  let allowed: Set<string>;
  let kept: Set<string>;
  beforeEach(() => {
    asked = [];
    allowed = new Set();
    kept = new Set();
  });

  const questions = (holdMs = 60_000) =>
    new HostQuestions(
      {
        ask: (_, hosts) => new Promise(answer => void asked.push({ hosts, answer })),
        said: (_, host) => (kept.has(host) ? false : allowed.has(host) || allowed.has('*') || undefined),
        answered: async (_, hosts, answer) => {
          for (const host of hosts) (answer === 'keep' ? kept : allowed).add(host);
          if (answer === 'any') allowed.add('*');
        },
      },
      holdMs,
    );

  it('are shared by all connections to a host, which wait for the answer', async () => {
    const one = questions();
    const wanted = [one.wants('a', 'x.org'), one.wants('a', 'x.org')];
    assert.deepEqual(
      asked.map(({ hosts }) => hosts),
      [['x.org']],
    );
    asked[0]!.answer('these');
    assert.deepEqual(await Promise.all(wanted), [true, true]);
    assert.equal(await one.wants('a', 'x.org'), true);
    assert.equal(asked.length, 1);
  });

  it('combine hosts wanted meanwhile in the next question, unless any host may be reached', async () => {
    const one = questions();
    const wanted = ['x.org', 'y.org', 'z.org'].map(host => one.wants('a', host));
    asked[0]!.answer('these');
    assert.equal(await wanted[0], true);
    await waitFor(() => asked.length === 2, { what: 'the next question' });
    assert.deepEqual(asked[1]!.hosts, ['y.org', 'z.org']);
    const more = one.wants('a', '10.0.0.1');
    asked[1]!.answer('any');
    assert.deepEqual(await Promise.all([...wanted, more]), [true, true, true, true]);
    // An address of the person's own network is not any host, and this one they have not seen: the proxy refuses it.
    assert.deepEqual([...allowed], ['x.org', 'y.org', 'z.org', '*']);
  });

  it('name each host, three at most, and none of impossible length', async () => {
    const one = questions();
    const hosts = Array.from({ length: 200 }, (_, at) => `h${at}.org`);
    const wanted = hosts.map(host => one.wants('a', host));
    assert.equal(await one.wants('a', `${'x'.repeat(300)}.org`), false);
    for (let at = 0; at < 17; at++) {
      await waitFor(() => asked.length === at + 1, { what: 'a question' });
      asked[at]!.answer('these');
      await waitFor(() => allowed.has(asked[at]!.hosts.at(-1)!), { what: 'its answer to count' });
    }
    assert.deepEqual(
      asked.slice(0, 17).flatMap(({ hosts: shown }) => shown),
      hosts.slice(0, 49),
    );
    assert.ok(asked.every(({ hosts: shown }) => shown.length <= 3));
    await waitFor(() => asked.length === 18, { what: 'the last question' });
    asked.at(-1)!.answer('keep');
    assert.equal((await Promise.all(wanted)).filter(Boolean).length, 49);
  });

  it('end with the first refusal: that host and all others are refused immediately @hostQuestions.end-first-refusal', async () => {
    const one = questions();
    const wanted = [one.wants('a', 'x.org'), one.wants('a', 'y.org')];
    asked[0]!.answer('keep');
    assert.deepEqual(await Promise.all(wanted), [false, false]);
    assert.equal(await one.wants('a', 'z.org'), false);
    assert.equal(asked.length, 1);
    // Another server is another matter.
    void one.wants('b', 'x.org');
    await waitFor(() => kept.has('x.org') && kept.has('y.org'), { what: 'both to be kept' });
  });

  it('refuse after a time without an answer, and immediately from then on; a late answer counts', async () => {
    const one = questions(1);
    assert.equal(await one.wants('a', 'x.org'), false);
    assert.equal(await one.wants('a', 'x.org'), false);
    assert.equal(asked.length, 1);
    asked[0]!.answer('these');
    await waitFor(() => allowed.has('x.org'), { what: 'the answer to count' });
    assert.equal(await one.wants('a', 'x.org'), true);
  });

  it('come back after a revocation, even if closed before', async () => {
    const one = questions();
    const wanted = one.wants('a', 'x.org');
    asked[0]!.answer(undefined);
    assert.equal(await wanted, false);
    assert.equal(await one.wants('a', 'x.org'), false);
    one.forget('a');
    const again = one.wants('a', 'x.org');
    asked[1]!.answer('these');
    assert.equal(await again, true);
  });
});

import assert from 'node:assert/strict';
import { waitFor } from '../../../servers/spawn';
import { faultyHosts } from '../faultyHost';

describe('a server over stdio that asks the host', () => {
  const host = faultyHosts();

  /** What the fixture logged of the answers that it got. */
  const tally = (logger: string) =>
    waitFor(() => host().logs.find(log => log.server === 'bad' && log.logger === logger)?.data, {
      what: () => `what came of ${logger}; log: ${JSON.stringify(host().logs.slice(-5))}`,
    });

  for (const method of [
    'sampling/createMessage',
    'elicitation/create',
    'tools/list',
    'no/such/method',
    'constructor',
  ]) {
    it(`for ${method}, which was not offered: it gets "method not found" @faultsOfRequests.offered-gets-method`, async () => {
      await host().start([`--ask=${method}`]);
      await host().loads('bad');
      assert.deepEqual(await tally(method), { '-32601': 1 });
      await host().answers();
    });
  }

  it('for 20,000 things at once: each is answered @faultsOfRequests.20-000-things', async function () {
    this.timeout(60_000);
    await host().start(['--ask-storm=10000']);
    await host().loads('bad');
    await waitFor(() => host().logs.some(({ logger }) => logger === 'storm'), {
      timeoutMs: 30_000,
      what: 'the answers',
    });
    assert.deepEqual(await tally('storm'), { results: 20_000 });
    await host().answers();
  });

  it('for many things with one id: each is answered', async () => {
    await host().start(['--ask-same-id=50']);
    await host().loads('bad');
    assert.equal(await tally('same'), 50);
    await host().answers();
  });
});

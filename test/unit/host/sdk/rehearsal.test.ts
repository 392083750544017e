import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { HostClient } from '../../../../src/host/sdk/hostClient';

describe('a rehearsal with a stand-in for a server', () => {
  it('connects, lists and ends, once', async () => {
    // Afresh: another test of this process may have rehearsed.
    const file = require.resolve('../../../../src/host/sdk/rehearsal');
    delete require.cache[file];
    const { rehearse } = require(file) as typeof import('../../../../src/host/sdk/rehearsal');
    const { prototype } = HostClient;
    const [connect, list, close] = (['connect', 'listTools', 'close'] as const).map(
      name => mock.method(prototype, name).mock,
    );
    try {
      await Promise.all([rehearse(), rehearse()]);
      await rehearse();
      assert.deepEqual(
        [connect, list, close].map(each => each!.callCount()),
        [1, 1, 1],
      );
    } finally {
      mock.restoreAll();
    }
  });
});

import assert from 'node:assert/strict';
import { fingerprint } from '../../../../../src/base/fingerprint';
import { TestConsents } from '../../../../../src/features/authors/core/testServer';

describe('consent to tests that use servers of the user', () => {
  let stored: object = {};
  const consents = new TestConsents({
    get: () => stored,
    set: async (_scope, kept) => {
      stored = kept;
    },
  });
  const use = { file: 'file:///a', content: 'one', definition: { id: 'github', launch: 'launched' } };
  beforeEach(() => {
    stored = {};
  });

  it('covers one content of one file, and one launch of one server @testConsents.covers-content-file', async () => {
    assert.equal(consents.has(use), false);
    await consents.allow(use);
    assert.equal(consents.has(use), true);
    const others = [
      { ...use, file: 'file:///b' },
      { ...use, file: 'toString' },
      { ...use, content: 'two' },
      { ...use, definition: { id: 'gitlab', launch: 'launched' } },
      { ...use, definition: { id: 'github', launch: 'another' } },
    ];
    for (const other of others) assert.equal(consents.has(other), false, JSON.stringify(other));
    await consents.allow({ ...use, content: 'two' });
    assert.equal(consents.has(use), false, 'what the file had before');
  });

  it('is kept with the launch, and holds if an earlier version kept a hash of the same', async () => {
    await consents.allow(use);
    assert.deepEqual(stored, { 'file:///a': { server: 'github', content: 'one', launch: 'launched' } });
    stored = { 'file:///a': fingerprint({ content: 'one', id: 'github', launch: 'launched' }) };
    assert.equal(consents.has(use), true);
    assert.equal(consents.has({ ...use, definition: { id: 'github', launch: 'another' } }), false);
  });

  it('is kept for a limited number of files, without the oldest', async () => {
    for (let n = 0; n < 1_100; n++) await consents.allow({ ...use, file: `file:///${n}` });
    assert.equal(Object.keys(stored).length, 1_000);
    assert.deepEqual(
      [consents.has({ ...use, file: 'file:///99' }), consents.has({ ...use, file: 'file:///100' })],
      [false, true],
    );
  });
});

import assert from 'node:assert/strict';
import { SecretVault, storageKey } from '../../../src/base/secretVault';

describe('keys of the secret storage', () => {
  it('differ as soon as a part does, wherever spaces, quotes and commas stand @secretVault.differ-soon-part', () => {
    const parts = ['a', 'b', 'a b', 'b c', ' ', '', '"', '","', '["a"]', '\\', 'a\\" "b'];
    const keys = parts.flatMap(one =>
      parts.flatMap(other => [
        [one, other],
        [one, other, ''],
      ]),
    );
    assert.equal(new Set(keys.map(list => storageKey('mcpHost.auth', ...list))).size, keys.length);
    // As they were joined before, these were one.
    assert.notEqual(storageKey('mcpHost.auth', '/a', 'b c'), storageKey('mcpHost.auth', '/a b', 'c'));
    assert.notEqual(storageKey('mcpHost.auth', 'a'), storageKey('mcpHost.input', 'a'));
  });

  it('take over what an earlier version kept, once @secretVault.take-earlier-version', async () => {
    const stored = new Map([['mcpHost.auth user  files abc', 'token']]);
    const vault = new SecretVault({
      get: async key => stored.get(key),
      store: async (key, value) => void stored.set(key, value),
      delete: async key => void stored.delete(key),
    });
    const key = storageKey('mcpHost.auth', 'user', '', 'files', 'abc');
    assert.equal(await vault.move('mcpHost.auth user  files abc', key), 'token');
    assert.equal(await vault.move('mcpHost.auth user  files abc', key), undefined);
    assert.equal(await vault.get(key), 'token');
    assert.deepEqual([...stored.keys()], [key]);
    await vault.set(key, undefined);
    assert.equal(stored.size, 0);
  });
});

import assert from 'node:assert/strict';
import { rootUri } from '../../../../../src/features/roots/core/rootUri';

describe('rootUri', () => {
  it('writes a Windows drive as its programs do', () => {
    assert.equal(rootUri('file:///c%3A/Users/me/a%20b', 'win32'), 'file:///C:/Users/me/a%20b');
    assert.equal(rootUri('file:///C%3a/', 'win32'), 'file:///C:/');
    assert.equal(rootUri('file:///d:', 'win32'), 'file:///D:');
  });

  it('leaves shares, and names that look like a drive, unchanged', () => {
    const share = 'file://server/share/c%3A/x';
    assert.equal(rootUri(share, 'win32'), share);
    for (const platform of ['linux', 'darwin'] as const)
      assert.equal(rootUri('file:///c%3A/x', platform), 'file:///c%3A/x');
  });
});

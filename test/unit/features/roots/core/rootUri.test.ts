import assert from 'node:assert/strict';
import { rootUri } from '../../../../../src/features/roots/core/rootUri';

describe('the URI of a root', () => {
  it('has the drive of Windows as its programs write it', () => {
    assert.equal(rootUri('file:///c%3A/Users/me/a%20b', 'win32'), 'file:///C:/Users/me/a%20b');
    assert.equal(rootUri('file:///C%3a/', 'win32'), 'file:///C:/');
    assert.equal(rootUri('file:///d:', 'win32'), 'file:///D:');
  });

  it('is as it was for shares, and where a drive is a name', () => {
    const share = 'file://server/share/c%3A/x';
    assert.equal(rootUri(share, 'win32'), share);
    for (const platform of ['linux', 'darwin'] as const)
      assert.equal(rootUri('file:///c%3A/x', platform), 'file:///c%3A/x');
  });
});

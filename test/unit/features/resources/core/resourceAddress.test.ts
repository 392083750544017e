import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { decodeAddress, encodeAddress } from '../../../../../src/features/resources/core/resourceAddress';
import { randomUris } from '../../../editor/randomUris';

describe('the editor address of a resource', () => {
  it('round-trips every server and URI, for 10,000 random ones', () => {
    for (const [index, uri] of randomUris(10_000).entries()) {
      const serverId = index % 3 === 0 ? uri : `server ${index}`;
      const parts = encodeAddress({ serverId, uri }, 'name.txt');
      assert.deepEqual(decodeAddress(parts), { serverId, uri }, JSON.stringify(uri));
    }
  });

  it("survives the editor's URI normalization: lower-case authorities, normalized and encoded paths", () => {
    for (const uri of randomUris(2_000)) {
      const { authority, path } = encodeAddress({ serverId: uri, uri }, 'name.txt');
      assert.equal(authority, authority.toLowerCase());
      assert.equal(posix.normalize(path), path, JSON.stringify(uri));
      assert.equal(path.normalize(), path, JSON.stringify(uri));
      assert.doesNotMatch(path, /^\/[A-Za-z]:|[\\%#]/);
      const url = new URL(`http://host${path.split('/').map(encodeURIComponent).join('/')}`);
      const address = decodeAddress({ authority: authority.toUpperCase(), path: decodeURIComponent(url.pathname) });
      assert.deepEqual(address, { serverId: uri, uri });
    }
  });

  it('distinguishes case, slashes and encodings', () => {
    const uris = ['a://b', 'A://b', 'a://B', 'a://b/', 'a://b//', 'a://b%2F', 'a://b%2f', 'a://b?', 'a://b#', 'a:/b'];
    const paths = new Set(uris.map(uri => encodeAddress({ serverId: 's', uri }, 'f').path));
    assert.equal(paths.size, uris.length);
    const ids = ['Demo', 'demo', 'DEMO', 'demo~', 'demo@folder', '_demo', '', '.', '..'];
    assert.equal(new Set(ids.map(serverId => encodeAddress({ serverId, uri: '' }, 'f').authority)).size, ids.length);
  });

  it('stays readable where possible', () => {
    assert.deepEqual(encodeAddress({ serverId: 'my-server_2', uri: 'notebook:///readme.md' }, 'readme.md'), {
      authority: 'my-server_2',
      path: '/notebook:∕∕∕readme.md/readme.md',
    });
    const { path } = encodeAddress({ serverId: 's', uri: 'http://h/Größe/日本 語?a=1&b=50%#c' }, 'c');
    assert.equal(path, '/http:∕∕h∕Größe∕日本 語?a=1&b=50~25~23c/c');
  });

  it('names one of several contents, distinct from the whole', () => {
    for (const part of ['first.txt', '日本 語 (2).md', 'a~b#c%.x']) {
      const whole = { serverId: 's', uri: 'x:/several/é?#' };
      const encoded = encodeAddress({ ...whole, part }, 'several');
      assert.deepEqual(decodeAddress(encoded), { ...whole, part });
      assert.deepEqual(decodeAddress(encodeAddress(whole, 'several')), whole);
    }
  });

  it('rejects addresses that it did not write', () => {
    for (const path of [
      '',
      '/',
      '/a',
      '/a/',
      '//name',
      '/a/b/',
      '/a/b/c/d',
      '/a//c',
      'a/b',
      '/~/b/',
      '/~g0/b',
      '/~2/b',
      '/a#b/c',
      '/~61/b',
      '/.a/b',
      '/%61/b',
    ])
      assert.equal(decodeAddress({ authority: 'server', path }), undefined, path);
    assert.equal(decodeAddress({ authority: 'not ours', path: '/a/b' }), undefined);
    assert.equal(decodeAddress({ authority: '', path: '/a/b' }), undefined);
  });
});

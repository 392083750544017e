import assert from 'node:assert/strict';
import { socketOf } from '../../../../src/host/settings/entryTexts';

describe('the address of a socket', () => {
  it("contains the socket's path, and in its fragment the request path", () => {
    for (const [address, path, url] of [
      ['unix:///tmp/a.sock', '/tmp/a.sock', 'http://localhost/'],
      ['unix:///tmp/a.sock#/mcp', '/tmp/a.sock', 'http://localhost/mcp'],
      ['UNIX:///tmp/a.sock#mcp/sub?a=b', '/tmp/a.sock', 'http://localhost/mcp/sub?a=b'],
      ['unix:///tmp/a b%20c.sock?a=b#/mcp', '/tmp/a b c.sock', 'http://localhost/mcp?a=b'],
      ['unix:///tmp/100%.sock', '/tmp/100%.sock', 'http://localhost/'],
      ['unix:///tmp/a.sock#//evil.example/mcp', '/tmp/a.sock', 'http://localhost/evil.example/mcp'],
    ] as const)
      assert.deepEqual(socketOf(address, 'linux'), { path, url: new URL(url) }, address);
  });

  it('contains a pipe name, or a file with its drive, on Windows', () => {
    assert.equal(socketOf('pipe:///pipe/named-pipe#/mcp', 'win32')?.path, '\\\\.\\pipe\\named-pipe');
    assert.equal(socketOf('unix:///C:/tmp/a.sock', 'win32')?.path, 'C:/tmp/a.sock');
  });

  it('is invalid with another scheme, a host, or no path', () => {
    for (const address of ['http://localhost/', 'file:///tmp/a.sock', 'unix://tmp/a.sock', 'unix:///', 'unix:///#/mcp'])
      assert.equal(socketOf(address), undefined, address);
  });
});

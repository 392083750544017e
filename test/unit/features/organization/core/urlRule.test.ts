import assert from 'node:assert/strict';
import {
  allowsUrl,
  deniesUrl,
  parseUrlRule,
  WrittenAddresses,
} from '../../../../../src/features/organization/core/urlRule';

function rule(text: string) {
  const parsed = parseUrlRule(text);
  assert.ok(!('values' in parsed), `${text} is no rule`);
  return parsed;
}
const allows = (text: string, address: string) => allowsUrl(rule(text), new URL(address));
const denies = (text: string, address: string) => deniesUrl(rule(text), new URL(address));

describe('a rule with an address', () => {
  it('allows exactly that address, in any spelling of its host and with its default port', () => {
    assert.ok(allows('https://mcp.corp.example/mcp', 'https://mcp.corp.example/mcp'));
    assert.ok(allows('HTTPS://MCP.Corp.Example:443/mcp', 'https://mcp.corp.example/mcp'));
    assert.ok(allows('https://mcp.corp.example/mcp', 'https://MCP.CORP.EXAMPLE.:443/mcp'));
    assert.ok(allows('https://bücher.example/mcp', 'https://xn--bcher-kva.example/mcp'));
    assert.ok(allows('https://[::1]:8080/mcp', 'https://[0:0:0:0:0:0:0:1]:8080/mcp'));
    for (const other of [
      'http://mcp.corp.example/mcp',
      'https://mcp.corp.example:8443/mcp',
      'https://mcp.corp.example/mcp/',
      'https://mcp.corp.example/MCP',
      'https://mcp.corp.example/mcp?as=admin',
      'https://mcp.corp.example.evil.example/mcp',
      'https://mcp.corp.example@evil.example/mcp',
      'https://user:secret@mcp.corp.example/mcp',
    ])
      assert.ok(!allows('https://mcp.corp.example/mcp', other), other);
  });

  it('lets "*" stand for names below a host, for any port, and for any rest of a path', () => {
    assert.ok(allows('https://*.corp.example/*', 'https://a.b.corp.example/mcp?x=1'));
    assert.ok(allows('http://localhost:*/*', 'http://localhost:3000/'));
    assert.ok(allows('*://corp.example/*', 'http://corp.example/mcp'));
    assert.ok(allows('*', 'http://10.0.0.1:81/x'));
    for (const other of [
      'https://corp.example/mcp',
      'https://evilcorp.example/mcp',
      'https://evil.example/x.corp.example/',
      'https://evil.example/?.corp.example/',
      'https://evil.example/#.corp.example/',
      'https://evil.example\\.corp.example/',
      'http://a.corp.example/mcp',
      'https://.corp.example/mcp',
    ])
      assert.ok(!URL.canParse(other) || !allows('https://*.corp.example/*', other), other);
  });

  it('does not allow a path that may lead out of the folder before "*"', () => {
    assert.ok(allows('https://corp.example/public/*', 'https://corp.example/public/mcp'));
    for (const path of ['public/../admin', 'public/%2e%2e/admin', 'public/..%2fadmin', 'public/..%5Cadmin'])
      assert.ok(!allows('https://corp.example/public/*', `https://corp.example/${path}`), path);
  });

  it('is not valid with "*" inside a name, a user, a fragment or another protocol', () => {
    for (const text of [
      'https://corp.example*',
      'https://*corp.example/',
      'https://mcp.*.example/',
      'https://*.*.example/',
      'https://*/@evil.example#x',
      'https://admin@corp.example/',
      'https://corp.example:99999/',
      'https://corp.example:http/',
      'https:///mcp',
      'ftp://corp.example/',
      'corp.example/*',
      '**',
      '',
    ])
      assert.ok('values' in parseUrlRule(text), text);
  });

  it('denies an address however its path is spelled', () => {
    for (const address of [
      'https://corp.example/mcp',
      'https://corp.example/mcp/',
      'https://corp.example//mcp',
      'https://corp.example/MCP',
      'https://corp.example/%6dcp',
      'https://corp.example/mcp?x=1',
      'https://corp.example./mcp#x',
      'http://corp.example/mcp',
      'https://me@corp.example:443/mcp',
      // A code that is not valid hides no other.
      'https://corp.example/%6dcp/%zz',
    ])
      assert.ok(denies('https://corp.example/mcp', address), address);
    assert.ok(!denies('https://corp.example/mcp', 'https://corp.example/mcp2'));
    assert.ok(!denies('https://corp.example/mcp', 'https://other.example/mcp'));
    assert.ok(denies('https://*/*', 'https://corp.example'));
  });

  it('denies this machine by each of its names and addresses', () => {
    for (const host of [
      '0.0.0.0',
      '[::]',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.0.0.2',
      '2130706433',
      'localhost.',
      'ip6-localhost',
    ])
      assert.ok(denies('http://localhost/mcp', `http://${host}:3000/mcp`), host);
    assert.ok(denies('http://127.0.0.1/mcp', 'http://0.0.0.0/mcp'));
    assert.ok(!denies('http://localhost/mcp', 'http://10.0.0.1/mcp'));
  });
});

describe('addresses in texts', () => {
  it('need no slashes', () => {
    for (const word of [
      'http:10.0.0.5/mcp',
      'https:[::ffff:10.0.0.5]',
      'http:0xa.5',
      'HTTP:167772165/mcp',
      'http:\\10.0.0.5',
    ])
      assert.ok(new WrittenAddresses([word.toLowerCase()]).areDenied(rule('http://10.0.0.5')), word);
    assert.ok(!new WrittenAddresses(['http:10.0.0.6/mcp', 'https:']).areDenied(rule('http://10.0.0.5')));
  });

  it('are each read once for all rules', () => {
    const texts = ['tool ab.example https://cd.example/x '.repeat(1_000)];
    const rules = Array.from({ length: 100 }, (_, n) => rule(`https://e${n}.example/mcp`));
    const { canParse } = URL;
    let read = 0;
    URL.canParse = (...all) => Boolean(++read) && canParse(...all);
    try {
      const written = new WrittenAddresses(texts);
      assert.ok(rules.every(one => !written.areDenied(one)) && written.areDenied(rule('https://cd.example/x')));
    } finally {
      URL.canParse = canParse;
    }
    assert.ok(read > 0 && read < 20, String(read));
  });
});

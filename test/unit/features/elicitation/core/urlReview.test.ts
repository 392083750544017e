import assert from 'node:assert/strict';
import { MAX_URL, reviewUrl } from '../../../../../src/features/elicitation/core/urlReview';

function warningsOf(url: string): string[] {
  const review = reviewUrl(url);
  assert.ok(!('refused' in review), JSON.stringify(review));
  return review.warnings.map(warning => (warning.kind === 'lookAlike' ? `looks like ${warning.of}` : warning.kind));
}

describe('reviewUrl', () => {
  it('has no findings for an ordinary page @urlReview.findings-ordinary-page', () => {
    for (const url of ['https://example.com/a?b=c#d', 'https://github.com/login', 'https://login.microsoft.com/'])
      assert.deepEqual(warningsOf(url), [], url);
  });

  it('fetches nothing @urlReview.fetches', () => {
    const original = globalThis.fetch;
    const fetched: unknown[] = [];
    globalThis.fetch = async url => {
      fetched.push(url);
      return new Response();
    };
    try {
      reviewUrl('https://example.com/a');
    } finally {
      globalThis.fetch = original;
    }
    assert.deepEqual(fetched, []);
  });

  it('refuses every scheme but https, and http of other machines @urlReview.refuses-scheme-https', () => {
    const bad = ['javascript:alert(1)', 'file:///etc/passwd', 'command:workbench.action.quit', 'data:text/html,x'];
    for (const url of [...bad, 'vscode://x/y', 'http://example.com/', 'ftp://example.com/', 'JaVaScRiPt:alert(1)'])
      assert.ok('refused' in reviewUrl(url), url);
    for (const url of ['', 'example.com', 'https://', '//example.com', 'https://a b/'])
      assert.ok('refused' in reviewUrl(url), url);
    assert.ok('refused' in reviewUrl('http://127.0.0.1.example.com/'));
    assert.ok('refused' in reviewUrl('http://localhost.example.com/'));
  });

  it('allows http on this machine, with a note', () => {
    for (const url of ['http://localhost:3000/x', 'http://127.0.0.1:80/', 'http://[::1]:1234/', 'http://0x7f.1/'])
      assert.deepEqual(warningsOf(url), ['loopback'], url);
  });

  it('shows both spellings of a non-Latin host @urlReview.shows-both-spellings', () => {
    const review = reviewUrl('https://münchen.example/');
    assert.ok(!('refused' in review));
    assert.equal(review.host, 'xn--mnchen-3ya.example');
    assert.equal(review.unicodeHost, 'münchen.example');
    assert.deepEqual(warningsOf('https://xn--mnchen-3ya.example/'), ['unicode']);
  });

  it('warns of hosts that look like others @urlReview.warns-hosts-look', () => {
    assert.deepEqual(warningsOf('https://раураӏ.com/'), ['unicode', 'looks like paypal.com']);
    assert.deepEqual(warningsOf('https://pаypal.com/'), ['unicode', 'mixedScripts', 'looks like paypal.com']);
    assert.deepEqual(warningsOf('https://g00gle.com/'), ['looks like google.com']);
    assert.deepEqual(warningsOf('https://rnicrosoft.com/'), ['looks like microsoft.com']);
    assert.deepEqual(warningsOf('https://github.com.evil.example/'), ['looks like github.com']);
    assert.deepEqual(warningsOf('https://github.com-login.example/'), ['looks like github.com']);
    assert.deepEqual(warningsOf('https://githúb.com/'), ['unicode', 'looks like github.com']);
  });

  it('warns of user names, numeric hosts and ports', () => {
    assert.deepEqual(warningsOf('https://github.com@evil.example/'), ['userinfo']);
    assert.deepEqual(warningsOf('https://user:pass@example.com/'), ['userinfo']);
    assert.deepEqual(warningsOf('https://192.0.2.7/'), ['ip']);
    assert.deepEqual(warningsOf('https://3221225991/'), ['ip']);
    assert.deepEqual(warningsOf('https://[2001:db8::1]/'), ['ip']);
    assert.deepEqual(warningsOf('https://example.com:8443/'), ['port']);
  });

  it('refuses an excessive address, and keeps a long one whole @urlReview.refuses-excessive-address', () => {
    assert.ok('refused' in reviewUrl(`https://example.com/${'a'.repeat(MAX_URL)}`));
    const long = `https://example.com/${'a'.repeat(4_000)}`;
    const review = reviewUrl(long);
    assert.ok(!('refused' in review) && review.href === long);
  });
});

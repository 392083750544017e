import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { inRepository } from '../../setup/paths';

describe('the pages of webviews', () => {
  const sources = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => readFileSync(inRepository('src', file), 'utf8'));

  it('are all made by one function, whose policy loads nothing but our own script and style', () => {
    const made = sources.flatMap(source => [...source.matchAll(/\.html = (\w+)/g)].map(([, by]) => by));
    assert.ok(made.length >= 3);
    assert.deepEqual([...new Set(made)], ['webviewHtml']);
    const source = readFileSync(inRepository('src/editor/webview/webviewHtml.ts'), 'utf8');
    assert.ok(source.includes("`default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`"));
    assert.match(source, /<meta http-equiv="Content-Security-Policy"/);
    // What the script of a page was sent can be drawn and played by the one that shows results, and by no other.
    assert.ok(source.includes('media ? `${own}; img-src blob:; media-src blob:` : own)'));
    assert.equal(sources.filter(text => /^\s*media: true,$/m.test(text)).length, 1);
    // An app inherits the policy of the page around it, which is made of what the app declared; no other page has its own.
    const makers = sources.filter(text => text.includes('.html = webviewHtml('));
    assert.deepEqual(
      makers.flatMap(text => [...text.matchAll(/\bpolicy\b.*/g)].map(([line]) => line)),
      ['policy: own => policyOf(page.declaration, own),'],
    );
  });
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { inRepository } from '../../setup/paths';

describe('webview pages', () => {
  const sources = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => readFileSync(inRepository('src', file), 'utf8'));

  it('are all made by one function, whose policy loads only our own script and style @webviewPage.made-function-policy', () => {
    const makers = sources.filter(text => /\.html = \w/.test(text));
    assert.equal(makers.length, 1);
    const source = readFileSync(inRepository('src/editor/webviewPage.ts'), 'utf8');
    assert.equal(source, makers[0]);
    assert.ok(sources.filter(text => text.includes('new WebviewPage')).length >= 5);
    assert.ok(source.includes("`default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`"));
    assert.match(source, /<meta http-equiv="Content-Security-Policy"/);
    // What the script of a page was sent can be drawn and played by the one that shows results, and by no other.
    assert.ok(source.includes('media ? `${own}; img-src blob:; media-src blob:` : drawn)'));
    assert.ok(source.includes('pictures ? `${own}; img-src blob:` : own;'));
    assert.equal(sources.filter(text => /^\s*media: true,$/m.test(text)).length, 1);
    // Icons in the gallery are drawn, and nothing there is played.
    assert.equal(sources.filter(text => /^\s*pictures: true,$/m.test(text)).length, 1);
    // An app inherits the policy of the page around it, which is made of what the app declared; no other page has its own.
    assert.deepEqual(
      sources
        .filter(text => text.includes('new WebviewPage'))
        .flatMap(text => [...text.matchAll(/\bpolicy\b.*/g)].map(([line]) => line)),
      ['policy: own => policyOf(page.declaration, own),'],
    );
  });

  it('send and receive messages in one place on each side', () => {
    const named = (name: string) => sources.filter(text => text.includes(name));
    assert.equal(named('.onDidReceiveMessage(').length, 1);
    assert.equal(named('webview.postMessage(').length, 1);
    assert.equal(named('acquireVsCodeApi').length, 1);
  });
});

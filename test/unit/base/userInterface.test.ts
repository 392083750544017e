import assert from 'node:assert/strict';
import { interfaceIn, interfaceInWords, pageIn } from '../../../src/base/userInterface';

const APP = 'text/html;profile=mcp-app';
const block = (resource: object) => ({ type: 'resource', resource: { uri: 'ui://a/1', ...resource } });

/** As `@mcp-ui/server` 6.1.0 makes them, and its earlier versions. */
describe('a user interface in a result', () => {
  it('is a page, as text or bytes', () => {
    for (const resource of [
      { mimeType: APP, text: '<p>hi</p>' },
      { mimeType: APP, blob: 'PHA+aGk8L3A+' },
      { mimeType: 'text/html', text: '<p>hi</p>' },
    ]) {
      const shown = interfaceIn(block(resource));
      assert.deepEqual(shown, { kind: 'page', uri: 'ui://a/1', html: '<p>hi</p>', _meta: undefined });
      assert.equal(interfaceInWords(shown!), '[page ui://a/1, which is for the user]');
    }
  });

  it('is a website if the page is a bare address', () => {
    for (const mimeType of [APP, 'text/uri-list']) {
      const shown = interfaceIn(block({ mimeType, text: 'https://example.com/x\n' }));
      assert.deepEqual(shown, { kind: 'website', uri: 'ui://a/1', url: 'https://example.com/x' });
      assert.equal(interfaceInWords(shown!), '[website https://example.com/x, which the user can open]');
    }
    assert.equal(interfaceIn(block({ mimeType: APP, text: 'javascript:alert(1)' }))?.kind, 'page');
  });

  it('is nothing else', () => {
    for (const other of [
      null,
      'x',
      { type: 'text', text: '<p>' },
      block({ mimeType: 'application/vnd.mcp-ui.remote-dom', text: 'x' }),
      block({ mimeType: APP }),
      block({ mimeType: 5, text: '<p>' }),
      block({ uri: 'file:///a.html', mimeType: 'text/html', text: '<p>' }),
      block({ mimeType: 'text/uri-list', text: 'ftp://x' }),
    ])
      assert.equal(interfaceIn(other), undefined, JSON.stringify(other));
    assert.equal(pageIn({ content: 'x' }), undefined);
    assert.equal(pageIn({}), undefined);
  });
});

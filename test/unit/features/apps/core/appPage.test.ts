import assert from 'node:assert/strict';
import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { guardedHtml, MAX_PAGE, pageOf } from '../../../../../src/features/apps/core/appPage';
import { APP_MIME_TYPE } from '../../../../../src/host/catalog';

const URI = 'ui://a/b';
const read = (content: object): ReadResourceResult => ({
  contents: [{ uri: URI, mimeType: APP_MIME_TYPE, ...content }] as ReadResourceResult['contents'],
});

describe('the page of an app', () => {
  it('comes as text or as base64', () => {
    assert.equal(pageOf(URI, read({ text: '<p>ä</p>' })).html, '<p>ä</p>');
    assert.equal(pageOf(URI, read({ blob: Buffer.from('<p>ä</p>').toString('base64') })).html, '<p>ä</p>');
    assert.equal(pageOf(URI, read({ text: '\ufeff \n<!DOCTYPE html>' })).uri, URI);
  });

  it('is refused with another type, without HTML, too large, or missing', () => {
    const refuse = (result: ReadResourceResult, why: RegExp) => assert.throws(() => pageOf(URI, result), why);
    refuse({ contents: [] }, /no page ui:\/\/a\/b/);
    refuse(read({ text: '<p>', mimeType: 'text/html' }), /of the type text\/html, not text\/html;profile=mcp-app/);
    refuse(read({ text: '<p>', mimeType: undefined }), /of the type –/);
    refuse(read({ text: '' }), /not HTML/);
    refuse(read({ text: '{"a": "<p>"}' }), /not HTML/);
    refuse(read({ text: '<p>'.padEnd(MAX_PAGE + 1, 'x') }), /has 10 MB, and may have 10 MB/);
    refuse(read({ blob: 'A'.repeat(2 * MAX_PAGE) }), /has 15 MB/);
  });

  it('begins with its policy, whatever the page itself contains', () => {
    const html = `<!doctype html><html lang="en"><head><meta http-equiv="Content-Security-Policy" content="default-src *">`;
    const { declaration } = pageOf(
      URI,
      read({ text: html, _meta: { ui: { csp: { connectDomains: ['https://a.example'] } } } }),
    );
    const guarded = guardedHtml({ html, declaration });
    const [, policy, rest] =
      /^<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="([^"]*)">(.*)$/s.exec(guarded)!;
    assert.match(policy!, /^default-src 'none'; .*connect-src https:\/\/a\.example; /);
    assert.equal(rest, html);
  });
});

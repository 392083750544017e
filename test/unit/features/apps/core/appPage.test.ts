import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
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
      /^<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="([^"]*)"><script>.*?<\/script>(.*)$/s.exec(
        guarded,
      )!;
    assert.match(policy!, /^default-src 'none'; .*connect-src https:\/\/a\.example; /);
    assert.equal(rest, html);
  });

  describe('when it goes away', () => {
    /** A window with the script that stands before the page. */
    const open = () => {
      const [, script = ''] = /<script>(.*?)<\/script>/s.exec(
        guardedHtml({ html: '', declaration: pageOf(URI, read({ text: '<p>' })).declaration }),
      )!;
      const window = new EventTarget();
      const parent = {};
      const told: unknown[] = [];
      let scripts = 1;
      class MessageEvent extends Event {
        constructor(type: string, init: object) {
          super(type);
          Object.assign(this, init);
        }
      }
      runInNewContext(script, {
        parent,
        MessageEvent,
        document: { currentScript: { remove: () => scripts-- } },
        addEventListener: window.addEventListener.bind(window),
        dispatchEvent: window.dispatchEvent.bind(window),
      });
      assert.equal(scripts, 0, 'the page does not find it');
      window.addEventListener('message', event => {
        const { source, data } = event as unknown as { source: unknown; data: { method?: string; id?: unknown } };
        if (data.id !== undefined) told.push([data.method, source === parent]);
      });
      return {
        told,
        say: (method?: string, source: unknown = parent) =>
          window.dispatchEvent(new MessageEvent('message', { source, data: { method } })),
        leave: () => window.dispatchEvent(new Event('pagehide')),
      };
    };

    it('is told by a teardown that seems to come from the host', () => {
      const { told, say, leave } = open();
      say('ui/notifications/tool-input');
      leave();
      assert.deepEqual(told, [['ui/resource-teardown', true]]);
    });

    it('is not told if the host never addressed it, or has torn it down', () => {
      const silent = open();
      silent.say();
      silent.say('ui/notifications/tool-input', 'a frame of its own');
      silent.leave();
      assert.deepEqual(silent.told, []);
      const ended = open();
      ended.say('ui/notifications/tool-input');
      ended.say('ui/resource-teardown');
      ended.leave();
      assert.deepEqual(ended.told, []);
    });
  });
});

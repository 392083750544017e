import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import type { ReadResourceResult, Tool } from '@modelcontextprotocol/client';
import { pageIn } from '../../../../../src/base/userInterface';
import {
  AppAgreements,
  type AppPage,
  allowOf,
  contentsOf,
  declarationOf,
  guardedHtml,
  hasReach,
  MAX_PAGE,
  pageOf,
  pageOfResult,
  policyOf,
} from '../../../../../src/features/apps/core/appPage';
import type { PinMode } from '../../../../../src/features/trust/core/pins';
import { APP_MIME_TYPE } from '../../../../../src/host/catalog';
import type { ServerDefinition } from '../../../../../src/host/definition';

const URI = 'ui://a/b';
const read = (content: object): ReadResourceResult => ({
  contents: [{ uri: URI, mimeType: APP_MIME_TYPE, ...content }] as ReadResourceResult['contents'],
});

describe('the page of an app', () => {
  it('comes as text or as base64 @appPage.comes-text-base64', () => {
    assert.equal(pageOf(URI, read({ text: '<p>ä</p>' })).html, '<p>ä</p>');
    assert.equal(pageOf(URI, read({ blob: Buffer.from('<p>ä</p>').toString('base64') })).html, '<p>ä</p>');
    assert.equal(pageOf(URI, read({ text: '\ufeff \n<!DOCTYPE html>' })).uri, URI);
  });

  it('comes in a result, with what it declares, of any earlier type', () => {
    const resource = {
      uri: 'ui://a/1',
      mimeType: 'text/html',
      text: '<p>hi</p>',
      _meta: { ui: { prefersBorder: true } },
    };
    const found =
      pageIn({
        content: [
          { type: 'text', text: 'x' },
          { type: 'resource', resource },
        ],
      }) ?? assert.fail();
    const page = pageOfResult(found);
    assert.deepEqual([page.uri, page.html], ['ui://a/1', '<p>hi</p>']);
    assert.deepEqual(hasReach(page.declaration), false);
  });

  it('is refused with another type, without HTML, too large, or missing @appPage.refused-type-html', () => {
    const refuse = (result: ReadResourceResult, why: RegExp) => assert.throws(() => pageOf(URI, result), why);
    refuse({ contents: [] }, /no page ui:\/\/a\/b/);
    refuse(read({ text: '<p>', mimeType: 'text/html' }), /of the type text\/html, not text\/html;profile=mcp-app/);
    refuse(read({ text: '<p>', mimeType: undefined }), /of the type –/);
    refuse(read({ text: '' }), /not HTML/);
    refuse(read({ text: '{"a": "<p>"}' }), /not HTML/);
    refuse(read({ text: '<p>'.padEnd(MAX_PAGE + 1, 'x') }), /has 10 MB, and may have 10 MB/);
    refuse(read({ blob: 'A'.repeat(2 * MAX_PAGE) }), /has 15 MB/);
  });

  it('begins with its policy, whatever the page itself contains @appPage.begins-policy-page', () => {
    const html = `<!doctype html><html lang="en"><head><meta http-equiv="Content-Security-Policy" content="default-src *">`;
    const { declaration } = pageOf(
      URI,
      read({ text: html, _meta: { ui: { csp: { connectDomains: ['https://a.example'] } } } }),
    );
    const guarded = guardedHtml({ html, declaration }, 'word');
    const [, policy, rest] =
      /^<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="([^"]*)">(?:<script>.*?<\/script>){2}(.*)$/s.exec(
        guarded,
      )!;
    assert.match(policy!, /^default-src 'none'; .*connect-src https:\/\/a\.example; /);
    assert.equal(rest, html);
  });

  it('goes to another chat with the addresses and abilities that a person is shown, and no others', () => {
    const csp = { connectDomains: ['https://a.example', 'https://b.example; connect-src *', '*'], resourceDomains: 7 };
    const permissions = { camera: {}, clipboardWrite: {} };
    const declared = { csp, permissions, domain: 'x', prefersBorder: true };
    const { contents } = contentsOf(pageOf(URI, read({ text: '<p>', _meta: { ui: declared, other: 1 } })));
    const domains = {
      connectDomains: ['https://a.example'],
      resourceDomains: [],
      frameDomains: [],
      baseUriDomains: [],
    };
    const ui = { csp: domains, permissions: { clipboardWrite: {} }, prefersBorder: true };
    assert.deepEqual(contents, [{ uri: URI, mimeType: APP_MIME_TYPE, text: '<p>', _meta: { ui } }]);
  });

  describe('when it goes away', () => {
    /** A window with the script that stands before the page. */
    const open = () => {
      const [, script = ''] = /<script>(.*?)<\/script>/s.exec(
        guardedHtml({ html: '', declaration: pageOf(URI, read({ text: '<p>' })).declaration }, 'word'),
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

    it('is told by a teardown that seems to come from the host @appPage.told-teardown-seems', () => {
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

const csp = (lists: object) => declarationOf({ ui: { csp: lists } }, undefined);

describe('the declaration of an app', () => {
  it('grants nothing when empty: no site, no ability @appPage.grants-empty-site', () => {
    for (const meta of [undefined, null, 7, {}, { ui: 'all' }, { ui: { csp: 'all', permissions: true } }]) {
      const declaration = declarationOf(meta, undefined);
      assert.ok(Object.values(declaration.domains).every(sources => sources.length === 0));
      assert.deepEqual([declaration.permissions, allowOf(declaration)], [[], '']);
    }
    assert.equal(
      policyOf(csp({})),
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src 'none'; " +
        "media-src data:; connect-src 'none'; frame-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'",
    );
  });

  it('goes into the policy list by list, and nowhere else @appPage.goes-policy-list', () => {
    const policy = policyOf(
      csp({
        connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
        resourceDomains: ['https://*.example.org/fonts/'],
        frameDomains: ['https://www.example.net'],
        baseUriDomains: ['https://cdn.example.com'],
      }),
    );
    const of = (name: string) => policy.split('; ').find(directive => directive.startsWith(`${name} `));
    assert.equal(of('connect-src'), 'connect-src https://api.example.com wss://live.example.com:8443');
    assert.equal(of('script-src'), "script-src 'unsafe-inline' https://*.example.org/fonts");
    assert.equal(of('img-src'), 'img-src data: https://*.example.org/fonts');
    assert.equal(of('font-src'), 'font-src https://*.example.org/fonts');
    assert.equal(of('frame-src'), 'frame-src https://www.example.net');
    assert.equal(of('base-uri'), 'base-uri https://cdn.example.com');
    assert.equal(of('form-action'), "form-action 'none'");
  });

  it('is read from the page first, then from the list', () => {
    const listed = { ui: { csp: { connectDomains: ['https://listed.example'] } } };
    assert.deepEqual(declarationOf(undefined, listed).domains.connectDomains, ['https://listed.example']);
    assert.deepEqual(declarationOf({ ui: {} }, listed).domains.connectDomains, []);
  });

  it('ignores what is not the address of one site @appPage.ignores-address-site', () => {
    const bad = [
      '*',
      'https:',
      'https://*',
      'https://*.com',
      "'self'",
      "'unsafe-eval'",
      'data:',
      'blob:',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://example.com',
      'ws://example.com',
      'https://a.example https://b.example',
      'https://a.example; script-src *',
      'https://a.example,https://b.example',
      'https://user@a.example',
      'https://a.example/?q',
      'https://a.example/#x',
      'https://a.example\nhttps://b.example',
      '',
      ' ',
      'https://exämple.com',
      'com',
      7,
      null,
      {},
      ['https://a.example'],
    ];
    const { domains, leftOut } = csp({ connectDomains: bad });
    assert.deepEqual(domains.connectDomains, []);
    assert.equal(leftOut.length, bad.length);
    assert.doesNotMatch(
      policyOf(csp({ connectDomains: bad, resourceDomains: bad, frameDomains: bad })),
      /[*\n]|https?:/,
    );
    assert.deepEqual(csp({ connectDomains: 'https://a.example' }).domains.connectDomains, ['https://a.example']);
  });

  it('may name this machine without encryption', () => {
    const local = ['http://localhost:3000', 'ws://127.0.0.1:9', 'https://localhost'];
    assert.deepEqual(csp({ connectDomains: local }).domains.connectDomains, [...local].sort());
  });

  it('may name a site without scheme, in any case, repeatedly', () => {
    const same = ['Example.COM', 'https://example.com', 'https://example.com/'];
    assert.deepEqual(csp({ connectDomains: same }).domains.connectDomains, ['https://example.com']);
  });

  it('may have at most 50 sites in a list', () => {
    const many = Array.from({ length: 60 }, (_, n) => `https://n${n}.example.com`);
    const { domains, leftOut } = csp({ connectDomains: many });
    assert.deepEqual([domains.connectDomains.length, leftOut.length], [50, 10]);
  });

  it('may request abilities, of which the editor grants those that it has @appPage.request-abilities-editor', () => {
    const declaration = declarationOf({ ui: { permissions: { camera: {}, clipboardWrite: {}, usb: {} } } }, undefined);
    assert.deepEqual(declaration.permissions, ['camera', 'clipboardWrite']);
    assert.equal(allowOf(declaration), 'clipboard-write');
  });
});

const tool = (name: string, description = name): Tool => ({ name, description, inputSchema: { type: 'object' } });
const server = (id: string, { launch = 'program', tools = [] as Tool[] } = {}) => ({
  definition: { id, launch } as ServerDefinition,
  catalog: { tools },
  redact: (text: string) => text.replaceAll('secret', '•••'),
});
const page = (html = '<p>', sites: string[] = [], uri = 'ui://a/b'): AppPage => ({
  uri,
  html,
  declaration: declarationOf({ ui: { csp: { connectDomains: sites } } }, undefined),
});

describe('agreements to apps', () => {
  let mode: PinMode;
  let files: Map<string, unknown>;
  let agreements: AppAgreements;
  beforeEach(() => {
    mode = 'enforce';
    files = new Map();
    const store = {
      read: async ({ id }: ServerDefinition) => files.get(id),
      write: async ({ id }: ServerDefinition, value: unknown) => void files.set(id, JSON.parse(JSON.stringify(value))),
    };
    agreements = new AppAgreements(store, () => mode !== 'enforce');
  });

  const state = async (id: string, app: AppPage) => (await agreements.of(server(id), app)).state;

  it('apply to one page of one server', async () => {
    assert.equal(await state('a', page()), 'new');
    await agreements.agree(server('a'), page());
    assert.equal(await state('a', page()), 'agreed');
    assert.equal(await state('b', page()), 'new');
    assert.equal(await state('a', page('<p>', [], 'ui://a/c')), 'new');
  });

  it('apply to the exact page and its declarations @appPage.apply-exact-page', async () => {
    await agreements.agree(server('a'), page('<p>1', ['https://a.example']));
    assert.equal(await state('a', page('<p>2', ['https://a.example'])), 'changed');
    assert.equal(await state('a', page('<p>1', ['https://b.example'])), 'changed');
    assert.equal(await state('a', page('<p>1', [])), 'changed');
    const now = await agreements.of(server('a'), page('<p>2'));
    assert.ok(now.state === 'changed');
    assert.deepEqual([now.before.html, now.before.declared], ['<p>1', { connectDomains: ['https://a.example'] }]);
  });

  it('cover other pages with the same declaration when the person has loosened pins, not other declarations', async () => {
    await agreements.agree(server('a'), page('<p>1', ['https://a.example']));
    for (mode of ['warn', 'off'] as const) {
      assert.equal(await state('a', page('<p>2', ['https://a.example'])), 'agreed');
      assert.equal(await state('a', page('<p>2', ['https://b.example'])), 'changed');
    }
  });

  it('are stored without secrets, and with the page only if it is short', async () => {
    await agreements.agree(server('a'), page('<p>secret'));
    await agreements.agree(server('a'), page('<p>'.padEnd(600_000, 'x'), [], 'ui://a/long'));
    const kept = files.get('a') as Record<string, { html?: string }>;
    assert.equal(kept['ui://a/b']?.html, '<p>•••');
    assert.equal(kept['ui://a/long']?.html, undefined);
    assert.equal(await state('a', page('<p>'.padEnd(600_000, 'x'), [], 'ui://a/long')), 'agreed');
    assert.equal(await state('a', page('<p>'.padEnd(600_001, 'x'), [], 'ui://a/long')), 'changed');
  });

  it('keep the tools that the app may call @appPage.keep-tools-app', async () => {
    const offering = (...tools: Tool[]) => server('a', { tools });
    const now = offering(tool('read_bytes'), tool('other'));
    await agreements.agree(now, page(), [tool('read_bytes')]);
    assert.deepEqual(await agreements.of(now, page()), { state: 'agreed', tools: [tool('read_bytes')] });
    const changed = offering(tool('read_bytes', 'reads and writes'));
    assert.deepEqual(await agreements.of(changed, page()), { state: 'agreed', tools: [] }, 'another tool of that name');
    assert.deepEqual(await agreements.of(offering(), page()), { state: 'agreed', tools: [] });
    await agreements.agree(now, page());
    assert.deepEqual(await agreements.of(now, page()), { state: 'agreed', tools: [] });
  });

  it('end with the program: another one under the name of the server is asked about @appPage.end-program-name', async () => {
    await agreements.agree(server('a'), page());
    assert.deepEqual(await agreements.of(server('a', { launch: 'other' }), page()), { state: 'new' });
    assert.equal(await state('a', page()), 'agreed');
  });

  it('that are corrupt count as missing', async () => {
    for (const spoilt of [
      'text',
      7,
      [],
      { 'ui://a/b': null },
      { 'ui://a/b': { page: 1 } },
      { 'ui://a/b': { page: '', declaration: '', at: 1, launch: 'program', tools: [7] } },
      { 'ui://a/b': { page: '', declaration: '', at: 1, tools: {} } },
    ]) {
      files.set('a', spoilt);
      assert.equal(await state('a', page()), 'new');
    }
  });
});

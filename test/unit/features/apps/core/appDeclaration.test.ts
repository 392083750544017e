import assert from 'node:assert/strict';
import { allowOf, declarationOf, policyOf } from '../../../../../src/features/apps/core/appDeclaration';

const csp = (lists: object) => declarationOf({ ui: { csp: lists } }, undefined);

describe('the declaration of an app', () => {
  it('grants nothing when empty: no site, no ability', () => {
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

  it('goes into the policy list by list, and nowhere else', () => {
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

  it('ignores what is not the address of one site', () => {
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

  it('may request abilities, of which the editor grants those that it has', () => {
    const declaration = declarationOf({ ui: { permissions: { camera: {}, clipboardWrite: {}, usb: {} } } }, undefined);
    assert.deepEqual(declaration.permissions, ['camera', 'clipboardWrite']);
    assert.equal(allowOf(declaration), 'clipboard-write');
  });
});

import assert from 'node:assert/strict';
import { PlainAddresses } from '../../../src/gateway/plainAddresses';

const addresses = new PlainAddresses(uri => /\.ipynb(?=[?#]|$)/.test(uri));
const NOTEBOOK = 'x://h/a.ipynb?b#c';
const SHOWN = 'x://h/a.ipynb.mcp-host.txt?b#c';

describe('addresses for a client that opens notebooks', () => {
  it('end otherwise for a notebook, and lead to it; all others are the same', () => {
    assert.equal(addresses.forClient(NOTEBOOK), SHOWN);
    assert.equal(addresses.forServer(SHOWN), NOTEBOOK);
    for (const uri of ['x://h/a.txt', 'x://h/a.ipynb.txt', '']) {
      assert.equal(addresses.forClient(uri), uri);
      assert.equal(addresses.forServer(uri), uri);
    }
    assert.throws(
      () => addresses.forServer(NOTEBOOK),
      /a\.ipynb\?b#c was not read: the editor would do more than show/,
    );
    assert.equal(new PlainAddresses().forServer(NOTEBOOK), NOTEBOOK);
  });

  it('are in results, pages and contents', () => {
    const link = (uri: string) => ({ type: 'resource_link', uri, name: 'a' }) as const;
    const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: '{}' } }) as const;
    const text = { type: 'text', text: NOTEBOOK } as const;
    const all = (uri: string) => ({
      content: [link(uri), embedded(uri), text],
      contents: [{ uri, text: '' }],
      resources: [{ uri, name: 'a' }],
    });
    assert.deepEqual(addresses.in(all(NOTEBOOK)), all(SHOWN));
    const others = all('x://h/a.txt');
    assert.equal(addresses.in(others), others);
    const odd = { content: [null, 7, { type: 'resource', resource: null }, { uri: 7 }], resources: 'x' };
    assert.equal(addresses.in(odd), odd);
  });

  it('are never ones that the client reads from the network itself', () => {
    for (const uri of ['https://h/a?b', 'HTTP://h/']) {
      assert.equal(addresses.forClient(uri), `mcp-host+${uri}`);
      assert.equal(addresses.forServer(`mcp-host+${uri}`), uri);
      assert.equal(addresses.templateForServer(`mcp-host+${uri}`), uri);
      assert.equal(new PlainAddresses().forClient(uri), uri);
    }
    for (const template of ['{+url}', '{scheme}://h', 'http{s}://h', 'https://h/{a}']) {
      assert.equal(addresses.templateForClient(template), `mcp-host+${template}`);
      assert.equal(addresses.forServer(`mcp-host+${template}`), template);
    }
    assert.equal(addresses.templateForClient('x{y}:'), 'mcp-host+x{y}:');
    assert.equal(addresses.templateForClient('x-y://{a}'), 'x-y://{a}');
    const templates = (uriTemplate: string) => ({ resourceTemplates: [{ uriTemplate, name: 'a' }] });
    assert.deepEqual(addresses.in(templates('https://h/{a}')), templates('mcp-host+https://h/{a}'));
    const inJson = 'https://h/a.ipynb';
    assert.equal(addresses.forServer(addresses.forClient(inJson)), inJson);
  });

  it('end otherwise for what is too long', () => {
    const bounded = new PlainAddresses((uri, text) => uri.endsWith('.md') && (text?.().length ?? 0) > 10);
    const [own, other] = ['x://h/a.md', 'x://h/a.md.mcp-host.txt'];
    const text = (length: number) => () => 'a'.repeat(length);
    assert.deepEqual([bounded.forClient(own), bounded.forClient(own, text(11))], [own, other]);
    assert.deepEqual(
      [own, other].map(uri => bounded.forServer(uri, text(10))),
      [own, own],
    );
    assert.equal(bounded.forServer(other, text(11)), own);
    assert.throws(() => bounded.forServer(own, text(11)), /Read x:\/\/h\/a\.md\.mcp-host\.txt/);
    const block = (uri: string) => ({ content: [{ type: 'resource', resource: { uri, text: 'a'.repeat(11) } }] });
    assert.deepEqual(bounded.in(block(own)), block(other));
  });
});

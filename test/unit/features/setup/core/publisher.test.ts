import assert from 'node:assert/strict';
import { publisherOf } from '../../../../../src/features/setup/core/publisher';

const OFFICIAL = 'https://registry.modelcontextprotocol.io';

describe('the publisher of a server', () => {
  it('is a GitHub account or a domain, as the official registry checks it', () => {
    assert.deepEqual(publisherOf('io.github.octo-cat/weather', OFFICIAL), {
      kind: 'github',
      who: 'octo-cat',
      isChecked: true,
    });
    assert.deepEqual(publisherOf('com.Example.api/weather', `${OFFICIAL}/`), {
      kind: 'domain',
      who: 'api.example.com',
      isChecked: true,
    });
  });

  it('is not called checked in other registries, nor over http or at an address that looks alike', () => {
    for (const registry of [
      'https://registry.corp.example',
      'http://registry.modelcontextprotocol.io',
      'https://registry.modelcontextprotocol.io.evil.example',
      'https://registry.modelcontextprotocol.io@evil.example',
      'https://registry.modelcontextprotocol.io:8443',
      'nothing',
    ])
      assert.equal(publisherOf('io.github.octocat/weather', registry).isChecked, false, registry);
  });

  it('is unknown when the name has no namespace that says anything', () => {
    for (const name of ['weather', 'weather/x', 'com.example/a/b', 'com.example/', '/x', 'com..x/y', 'com.ex ample/x'])
      assert.deepEqual(publisherOf(name, OFFICIAL), { kind: 'unknown', who: '', isChecked: false }, name);
    assert.equal(publisherOf('io.modelcontextprotocol.anonymous/x', OFFICIAL).kind, 'anonymous');
    assert.equal(publisherOf('io.github.a.b/x', OFFICIAL).kind, 'domain');
  });
});

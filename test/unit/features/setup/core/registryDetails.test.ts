import assert from 'node:assert/strict';
import { RegistryClient, serverOf } from '../../../../../src/features/setup/core/registryClient';
import { startRegistry } from '../../../../servers/registry';

const GITHUB = 'io.modelcontextprotocol.registry/publisher-provided';
const details = (server: object, item: object = {}) =>
  serverOf({ server: { name: 'a/b', ...server }, ...item })?.details ?? assert.fail('no server');

describe("the details of a registry's entry", () => {
  it('have pages, icons, dates, stars and readme', async () => {
    const registry = await startRegistry();
    try {
      const client = new RegistryClient(registry.url('/good'));
      const { servers } = await client.search('weather', undefined, new AbortController().signal);
      const { readme, ...others } = servers[0]?.details ?? assert.fail('no details');
      assert.deepEqual(others, {
        website: 'https://weather.example/mcp',
        repository: 'https://github.com/example/weather-mcp',
        icons: [{ src: registry.url('/icons/weather.svg'), sizes: ['any'] }],
        publishedAt: Date.parse('2026-01-01T00:00:00Z'),
        stars: 12_345,
      });
      assert.match(readme ?? '', /^# Weather/);
    } finally {
      await registry.stop();
    }
  });

  it('are read where older registries have them', () => {
    const provided = { [GITHUB]: { github: { stargazer_count: 7, readme: 'x' } } };
    assert.equal(details({}, { _meta: provided }).stars, 7);
    assert.equal(details({ repository: { readme: 'y' } }).readme, 'y');
  });

  it('leave out whatever is malformed or no page', () => {
    for (const url of [
      'javascript:alert(1)',
      'http://x.example/',
      'https://u:p@x.example/',
      'x',
      7,
      `https://x/${'x'.repeat(2_000)}`,
    ])
      assert.deepEqual(details({ websiteUrl: url, repository: { url } }), { icons: [] }, String(url).slice(0, 40));
    for (const stars of [-1, 1.5, '7', Number.MAX_VALUE, null])
      assert.equal(details({ _meta: { [GITHUB]: { github: { stargazerCount: stars } } } }).stars, undefined);
    assert.deepEqual(details({ icons: 'x', repository: 7, _meta: { [GITHUB]: [] } }), { icons: [] });
    assert.deepEqual(details({ icons: [null, { src: 1 }, { src: 'x', sizes: [3] }] }).icons, [{ src: 'x' }]);
  });

  it('are bounded', () => {
    const readme = 'x'.repeat(1_000_000);
    const { icons, readme: kept } = details({
      icons: Array.from({ length: 1_000 }, () => ({ src: 'x' })),
      _meta: { [GITHUB]: { github: { readme } } },
    });
    assert.ok(icons.length <= 8);
    assert.equal(kept?.length, 20_000);
  });
});

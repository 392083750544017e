import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { listRegistry } from '../../../../../src/features/setup/core/registryListing';
import { type RegistryFixture, startRegistry } from '../../../../servers/registry';

describe('the listing of a registry', () => {
  let registry: RegistryFixture;
  beforeEach(async () => {
    registry = await startRegistry();
  });
  afterEach(() => registry.stop());

  it('has every server that is not withdrawn, of all pages', async () => {
    const listed = await listRegistry(registry.url('/good'));
    assert.ok(Array.isArray(listed));
    const lines = listed.map(one => ('url' in one ? one.url : [one.command, ...one.args].join(' ')));
    for (const line of [
      'npx -y many-1@1.0.0',
      'npx -y many-70@1.0.0',
      'uvx weather-mcp@1.1.0',
      'https://${input:weather-mcp-tenant}.weather.example/mcp',
      'https://old.example/mcp',
    ])
      assert.ok(lines.includes(line), `${line} is not among\n${lines.join('\n')}`);
    assert.ok(!lines.some(line => line.includes('evil')));
  });

  it('is asked for once in some minutes', async () => {
    const now = Date.now();
    await Promise.all([listRegistry(registry.url('/good'), now), listRegistry(registry.url('/good'), now + 1_000)]);
    const asked = registry.requests.length;
    await listRegistry(registry.url('/good'), now + 60_000);
    assert.equal(registry.requests.length, asked);
    await listRegistry(registry.url('/good'), now + 3_600_000);
    assert.equal(registry.requests.length, asked * 2);
  });

  it('is none when the registry fails, and asked for again', async () => {
    for (const path of ['/500', '/malformed', '/other']) {
      const failed = await listRegistry(registry.url(path));
      assert.ok('text' in failed, path);
      assert.match(english(failed), /^it did not answer as expected \(/);
      const asked = registry.requests.length;
      await listRegistry(registry.url(path));
      assert.ok(registry.requests.length > asked, path);
    }
    assert.ok('text' in (await listRegistry('no address')));
  });
});

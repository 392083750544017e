import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startNpmRegistry } from '../../../servers/npmRegistry';
import { fixturePath, waitFor } from '../../../servers/spawn';
import { remove, temporaryFolder } from '../../../setup/paths';
import { TestHost } from '../testHost';

/** Npx is asked three seconds after a start, when the window has settled. */
const asking = { what: 'an answer of npx', timeoutMs: 120_000 };

describe('a package of npx without a version', () => {
  it('has its newer version in its state and its log after a start, and uses it from the next on', async function () {
    this.timeout(400_000);
    if (process.platform !== 'linux') this.skip(); // it looks at /proc
    const registry = await startNpmRegistry();
    const folder = temporaryFolder();
    const publish = (version: string) =>
      registry.publish({ name: 'some', version, bin: { some: `require(${JSON.stringify(fixturePath('hostile'))});` } });
    try {
      await using test = new TestHost();
      const npm = { npm_config_cache: folder, npm_config_registry: registry.url };
      // With it, npx installs the newest version anew at each start.
      const env = { ...npm, npm_config_omit_lockfile_registry_resolved: 'false' };
      const loads = async () => {
        const { state } = await test.loads('one');
        assert.ok(state.kind === 'ready');
        const isOfNpx = readFileSync(`/proc/${state.pid}/cmdline`, 'utf8').startsWith('npm exec');
        return { isOfNpx, newer: state.newer };
      };
      const restart = async () => {
        await test.server('one').restart('a test');
        return loads();
      };
      const isLogged = (text: RegExp) => test.logs.some(({ data }) => text.test(String(data)));
      publish('1.0.0');
      test.configure({ one: { command: 'npx', args: ['-y', 'some'], env } });
      assert.deepEqual(await loads(), { isOfNpx: true, newer: undefined });
      await waitFor(() => [...test.memory.values.keys()].some(key => key.startsWith('package/')), asking);
      assert.equal((await restart()).isOfNpx, false);
      assert.ok(isLogged(/^it is started without npx, from its cache: some 1\.0\.0, /));
      publish('1.1.0');
      assert.equal((await restart()).isOfNpx, false);
      await waitFor(async () => (await loads()).newer === '1.1.0', asking);
      assert.ok(isLogged(/^version 1\.1\.0 of its package was published: the next start fetches it$/));
      assert.deepEqual(await restart(), { isOfNpx: true, newer: undefined });
    } finally {
      await registry.close();
      remove(folder);
    }
  });
});

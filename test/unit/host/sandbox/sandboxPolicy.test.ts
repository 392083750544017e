import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fetching, sourcesOfLaunch } from '../../../../src/host/sandbox/sandboxPolicy';
import { temporaryFolder } from '../../../setup/paths';

describe('the hosts that a package manager needs', () => {
  let home: string;
  beforeEach(() => {
    home = temporaryFolder();
  });

  const hostsOf = async (runner: 'npx' | 'uvx' | undefined, more: Partial<Fetching> = {}) =>
    (await sourcesOfLaunch({ rules: {}, args: [], env: {}, home, ...more }, runner)).hosts;

  it('are its registry, and those that variables or the person’s .npmrc name', async () => {
    writeFileSync(join(home, '.npmrc'), 'registry=http://localhost:4873/\n');
    const env = { npm_config_registry: 'https://npm.example.com/x', UV_INDEX_URL: 'https://pypi.example.com:8443' };
    assert.deepEqual(await hostsOf('npx', { env }), [
      ...['registry.npmjs.org', 'npm.example.com', 'pypi.example.com:8443', 'localhost:4873'],
    ]);
    assert.deepEqual(await hostsOf(undefined, { env }), []);
  });

  it('never include this machine or its network from variables, and are empty without network @fetchSources.include-machine-network', async () => {
    for (const url of [
      'http://127.0.0.1:81/',
      'http://localhost/',
      'http://[::1]/',
      'http://169.254.169.254/',
      'http://10.1.1.1/',
    ])
      assert.deepEqual(await hostsOf('npx', { env: { npm_config_registry: url } }), ['registry.npmjs.org'], url);
    const env = { npm_config_registry: 'https://npm.example.com' };
    assert.deepEqual(await hostsOf('npx', { env, rules: { network: [] } }), ['registry.npmjs.org']);
  });

  it('are those of the organization, without network too', async () => {
    const asked = { sources: ['npm.corp.example'], rules: { network: [] } };
    assert.deepEqual(await hostsOf('npx', asked), ['npm.corp.example', 'registry.npmjs.org']);
  });

  it('leave the registry to a variable that names one', async () => {
    writeFileSync(join(home, '.npmrc'), 'registry=http://localhost:4873/\n');
    const launch = { rules: {}, args: [], home };
    const { env } = await sourcesOfLaunch({ ...launch, env: {} }, 'npx');
    assert.deepEqual(env, { npm_config_registry: 'http://localhost:4873/' });
    const named = { npm_config_registry: 'https://npm.corp.example/' };
    assert.deepEqual((await sourcesOfLaunch({ ...launch, env: named }, 'npx')).env, {});
  });

  it('have a host of git where the arguments name a git source there, and not otherwise @fetchSources.host-git-arguments', async () => {
    const pypi = ['pypi.org', 'files.pythonhosted.org'];
    assert.deepEqual(await hostsOf('uvx', { args: ['weather-server'] }), pypi);
    assert.deepEqual(await hostsOf('uvx', { args: ['--from', 'git+https://github.com/o/r@v1', 'r'] }), [
      ...pypi,
      'github.com',
    ]);
    assert.deepEqual(await hostsOf('uvx', { args: ['--from', 'git+https://127.0.0.1/o/r', 'r'] }), pypi);
  });
});

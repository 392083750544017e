import assert from 'node:assert/strict';
import { unscripted } from '../../../../../src/features/supply/core/installScripts';
import type { ServerEntry } from '../../../../../src/host';

const stdio = (command: string, env: Record<string, string | null> = {}): ServerEntry =>
  ({ type: 'stdio', command, args: ['-y', 'x'], env }) as unknown as ServerEntry;
const envOf = (entry: ServerEntry) => (entry.type === 'stdio' ? entry.env : {});

describe('install scripts', () => {
  it('are skipped by variables, for a program that fetches packages', () => {
    const env = envOf(unscripted({ fromWorkspace: false }, stdio('npx', { A: 'b' })));
    assert.equal(env.npm_config_ignore_scripts, 'true');
    assert.equal(env.YARN_ENABLE_SCRIPTS, 'false');
    assert.equal(env.UV_NO_BUILD, '1');
    assert.equal(env.A, 'b');
    const other = stdio('node');
    assert.equal(unscripted({ fromWorkspace: true }, other), other);
  });

  it('are an exception that a person can make in an entry, and a workspace can not, however it is written', () => {
    for (const name of ['npm_config_ignore_scripts', 'NPM_CONFIG_IGNORE_SCRIPTS', 'npm_config_ignore-scripts']) {
      const own = envOf(unscripted({ fromWorkspace: false }, stdio('npx', { [name]: 'false' })));
      assert.equal(own[name], 'false');
      const foreign = envOf(unscripted({ fromWorkspace: true }, stdio('npx', { [name]: 'false' })));
      assert.equal(foreign.npm_config_ignore_scripts, 'true');
      assert.deepEqual(Object.values(foreign).includes('false'), true, 'of Yarn');
      assert.ok(name === 'npm_config_ignore_scripts' || !(name in foreign));
    }
    const removed = envOf(unscripted({ fromWorkspace: true }, stdio('npx', { npm_config_ignore_scripts: null })));
    assert.equal(removed.npm_config_ignore_scripts, 'true');
  });
});

import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { unscripted } from '../../../../../src/features/supply/core/installScripts';
import type { Admission } from '../../../../../src/host/definition';
import type { ServerEntry } from '../../../../../src/host/settings';

const stdio = (command: string, env: Record<string, string | null> = {}): ServerEntry =>
  ({ type: 'stdio', command, args: ['-y', 'x'], env }) as unknown as ServerEntry;
function envOf(admission: Admission): Record<string, string | null> {
  assert.ok('entry' in admission && admission.entry.type === 'stdio');
  return admission.entry.env;
}

describe('install scripts', () => {
  it('are skipped by variables, for a program that fetches packages', () => {
    const env = envOf(unscripted({ fromWorkspace: false }, stdio('npx', { A: 'b' })));
    assert.equal(env.npm_config_ignore_scripts, 'true');
    assert.equal(env.YARN_ENABLE_SCRIPTS, 'false');
    assert.equal(env.UV_NO_BUILD, '1');
    assert.equal(env.A, 'b');
    const other = stdio('node');
    assert.deepEqual(unscripted({ fromWorkspace: true }, other), { entry: other });
  });

  it('are an exception that a person can make in an entry, and a workspace can not, however it is written @installScripts.exception-person-make', () => {
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

  it('are never run by what a workspace writes around them: that is refused, with the name of the setting @installScripts.run-workspace-writes', () => {
    const admitted = (fromWorkspace: boolean, [command, ...args]: readonly string[], more = {}) =>
      unscripted({ fromWorkspace }, { type: 'stdio', command, args, env: {}, ...more } as unknown as ServerEntry);
    for (const words of [
      ['npx', '--ignore-scripts=false', 'x'],
      ['npx', '--ignore-scripts', 'false', 'x'],
      ['npx', '--no-ignore-scripts', 'x'],
      ['npx', '--ignore-s=false', 'x'],
      ['npx', '-p', 'x', '-c', 'npm_config_ignore_scripts=false npx y'],
      ['npm', 'exec', '--script-shell=/work/sh', 'x'],
      ['pnpm', 'dlx', '--config.ignoreScripts=false', 'x'],
      ['pnpm', 'dlx', '--allow-build=x', 'x'],
      ['env', 'npm_config_ignore_scripts=false', 'npx', 'x'],
      ['sudo', 'npx', 'x'],
      ['sh', '-c', 'npx x'],
      ['sh', '-c', 'unset npm_config_ignore_scripts; npx x'],
      ['cmd', '/c', 'set npm_config_ignore_scripts=&& npx x'],
      ['my-wrapper', 'npx', 'x'],
      ['deno', 'run', '--allow-scripts', 'npm:x'],
      ['pipx', 'run', '--pip-args=--no-binary=:all:', 'x'],
      ['npx', '--unheard-of', 'x'],
    ]) {
      const admission = admitted(true, words);
      assert.ok('needs' in admission, words.join(' '));
      assert.match(english(admission.reason), /"mcpHost\.installScripts"/);
      assert.ok('entry' in admitted(false, words), 'a person may');
    }
    for (const line of ['npm install -g x && x', 'cd a; uv tool install x && x', 'npm_config_ignore_scripts= npm ci'])
      assert.ok('needs' in admitted(true, ['sh', '-c', line]), line);
    assert.ok('needs' in admitted(true, ['npx', 'x'], { envFile: '/work/.env' }));
    for (const words of [
      ['npx', '-y', '--ignore-scripts', 'x', '--port', '5'],
      ['cmd', '/c', 'npx', '-y', 'x'],
      ['uvx', '--from', 'x', 'y'],
      ['docker', 'run', '-i', '--rm', 'x', 'build'],
      ['node', 'server.js', 'npx'],
      ['npm', 'start'],
      ['sh', '-c', 'make serve'],
      ['./bin/server', '--all'],
    ])
      assert.ok('entry' in admitted(true, words), words.join(' '));
    const { PIP_NO_BINARY, UV_NO_BUILD } = envOf(admitted(true, ['uvx', 'x'], { env: { PIP_NO_BINARY: ':all:' } }));
    assert.deepEqual([PIP_NO_BINARY, UV_NO_BUILD], [undefined, '1']);
  });
});

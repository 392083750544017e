import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { ClientIdentity } from '../../../../../src/features/clients/core';
import { hostile } from '../../../host/testHost';
import { AgentsHome, type TestWindow } from './testAgents';

const node = process.execPath;
/** Runs a program of its own that starts the bridge, or the shell script that its first argument names. */
const AGENT = `
const { spawn } = require('node:child_process');
const [shell] = process.argv.slice(2);
const words = shell && shell.endsWith('.sh') ? ['/bin/sh', shell] : [process.execPath, BRIDGE];
spawn(words[0], words.slice(1), { stdio: 'inherit' }).on('exit', code => process.exit(code ?? 1));
`;

describe('which program an agent is', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  let window: TestWindow;
  let answer: 'allow' | 'deny';
  let asked: { identity: ClientIdentity; before: ClientIdentity | undefined }[];
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  beforeEach(async () => {
    home = new AgentsHome();
    [answer, asked] = ['allow', []];
    window = home.window();
    window.allow = async (identity, before) => {
      asked.push({ identity, before });
      return answer;
    };
    await window.share({ one: hostile() });
  });
  afterEach(() => home.close());

  /** Writes a script that starts the bridge, and returns its path. */
  function agent(folder: string, before = '', bridge = home.bridge): string {
    const file = path.join(home.workspace(folder), 'agent.js');
    fs.writeFileSync(file, before + AGENT.replace('BRIDGE', JSON.stringify(bridge)));
    return file;
  }

  /** Connects as an agent of one name. @returns how often the person is asked, and whether it is let in. */
  async function connects(started: readonly string[], { cwd = home.folder, env = {}, name = 'known' } = {}) {
    const before = asked.length;
    const client = await home.connect(cwd, { name, started, env });
    const isLetIn = await client.listTools().then(
      ({ tools }) => tools.length > 0,
      error => {
        assert.match(error.message, /does not allow/);
        return false;
      },
    );
    await client.close();
    return { asked: asked.length - before, isLetIn };
  }
  const detail = (what: string, { identity } = asked.at(-1)!) =>
    identity.details.find(one => one.what === what)?.text ?? '';
  const once = { asked: 1, isLetIn: true };
  const known = { asked: 0, isLetIn: true };
  const refused = { asked: 1, isLetIn: false };

  it('is remembered by its script, whatever it is told behind that, and wherever it runs', async () => {
    const file = agent('mine');
    assert.deepEqual(await connects([node, file]), once);
    assert.equal(detail('program'), file);
    assert.match(detail('checksum'), /^[0-9a-f]{16}$/);
    assert.deepEqual(await connects([node, file, '--resume', 'do something']), known);
    assert.deepEqual(await connects([node, file], { cwd: home.workspace('elsewhere') }), known);
  });

  it('is not told by a folder that it has gone to since: a script of the same relative path is asked about @agentIdentity.told-folder-gone', async () => {
    const file = agent('mine');
    agent('evil', `process.chdir(${JSON.stringify(path.dirname(file))});`);
    assert.deepEqual(await connects([node, 'agent.js'], { cwd: path.dirname(file) }), once);
    answer = 'deny';
    const evil = { cwd: home.workspace('evil'), env: { PWD: path.dirname(file) } };
    assert.deepEqual(await connects([node, 'agent.js'], evil), refused);
    assert.deepEqual(await connects([node, path.join(evil.cwd, 'agent.js')], evil), refused);
  });

  it('is asked about in each session where it was started by a relative path, and says so; a denial holds @agentIdentity.asked-session-started', async () => {
    const file = agent('mine');
    const here = { cwd: path.dirname(file) };
    assert.deepEqual(await connects([node, 'agent.js'], here), once);
    assert.deepEqual(await connects([node, 'agent.js'], here), once);
    assert.ok(asked.every(({ identity }) => identity.isUncertain));
    answer = 'deny';
    assert.deepEqual(await connects([node, 'agent.js'], here), refused);
    assert.deepEqual(await connects([node, 'agent.js'], here), { asked: 0, isLetIn: false });
  });

  it('is another one with what an interpreter loads before its script: options, variables @agentIdentity.interpreter-loads-script', async () => {
    const file = agent('mine');
    const hook = path.join(home.folder, 'hook.js');
    fs.writeFileSync(hook, '');
    assert.deepEqual(await connects([node, file]), once);
    answer = 'deny';
    assert.deepEqual(await connects([node, `--require=${hook}`, file]), refused);
    assert.match(detail('commandLine'), /--require=/);
    assert.deepEqual(await connects([node, '--require', hook, file]), refused);
    assert.deepEqual(await connects([node, file], { env: { NODE_OPTIONS: `--require=${hook}` } }), refused);
    assert.equal(detail('variables').split(' ')[0], `NODE_OPTIONS=--require=${hook}`);
    assert.deepEqual(await connects([node, '-e', fs.readFileSync(file, 'utf8'), file]), refused);
    assert.deepEqual(await connects(['/usr/bin/env', node, file]), known, 'what is replaced by it is gone');
  });

  it('is another one with other contents, which its question shows; it takes the place of the first @agentIdentity.contents-question-shows', async () => {
    const file = agent('mine');
    assert.deepEqual(await connects([node, file]), once);
    const sum = detail('checksum');
    agent('mine', '// another\n');
    assert.deepEqual(await connects([node, file]), once);
    assert.equal(asked[1]!.before?.fingerprint, asked[0]!.identity.fingerprint);
    assert.notEqual(detail('checksum'), sum);
    assert.equal(window.clients.all.length, 1);
  });

  it('is the same one in the folder of another version', async () => {
    assert.deepEqual(await connects([node, agent('agent-1.2.3')]), once);
    assert.deepEqual(await connects([node, agent('agent-1.3.0')]), known);
  });

  it('is not a shell script that it runs @agentIdentity.shell-script-runs', async () => {
    const file = agent('mine');
    assert.deepEqual(await connects([node, file]), once);
    answer = 'deny';
    const script = path.join(home.folder, 'evil.sh');
    fs.writeFileSync(script, `'${node}' '${home.bridge}'\nexit 0\n`);
    assert.deepEqual(await connects([node, file, script]), refused);
    assert.match(detail('commandLine'), /evil\.sh ← .*agent\.js/);
  });

  it('is not another program in place of the bridge, which it runs @agentIdentity.program-place-bridge', async () => {
    assert.deepEqual(await connects([node, agent('mine')]), once);
    answer = 'deny';
    const copy = path.join(home.workspace('copy'), 'bridge.js');
    fs.mkdirSync(path.join(path.dirname(copy), 'windows'), { mode: 0o700 });
    for (const card of home.cards) fs.copyFileSync(card, path.join(path.dirname(copy), 'windows', path.basename(card)));
    fs.copyFileSync(home.bridge, copy);
    const wrapper = agent('mine', `process.argv[2] === 'other' && (process.env.X = 1);`, copy);
    assert.deepEqual(await connects([node, wrapper]), refused);
    assert.equal(detail('program'), copy);
  });

  it('has an answer of its own, of several that come under one name @agentIdentity.answer-several-come', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map(folder => agent(folder, `// ${folder}\n`));
    assert.deepEqual(await connects([node, one!]), once);
    assert.deepEqual(await connects([node, two!]), once);
    assert.equal(asked[1]!.before?.fingerprint, asked[0]!.identity.fingerprint, 'the difference is shown');
    answer = 'deny';
    assert.deepEqual(await connects([node, three!]), refused);
    for (const file of [one!, two!]) assert.deepEqual(await connects([node, file]), known);
    assert.deepEqual(await connects([node, three!]), { asked: 0, isLetIn: false });
    await window.clients.revoke(asked[0]!.identity);
    assert.deepEqual(await connects([node, one!]), refused);
    assert.deepEqual(await connects([node, two!]), known);
  });

  it('is refused in other namespaces, whatever process it says that it is @agentIdentity.refused-namespaces', async function () {
    const apart = ['unshare', '--user', '--map-current-user', '--mount'];
    if (spawnSync(apart[0]!, [...apart.slice(1), 'true']).status !== 0) this.skip();
    const client = await home
      .connect(home.folder, { name: 'known', started: [...apart, node, home.bridge] })
      .catch(error => error as Error);
    const refusal = client instanceof Error ? client : await client.listTools().catch(error => error as Error);
    assert.match(String(refusal), /not the process that it says it is|outside containers/);
    assert.deepEqual(asked, []);
  });
});

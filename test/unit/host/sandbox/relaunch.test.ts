import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onlyWhereConfined, refused, World } from './confined';

/** A policy is worked out from the disk at each start, so what a program left there must not relax the next one. */
describe('A program that is started again in its sandbox', () => {
  let world: World;
  before(onlyWhereConfined);
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  const inWorkspace = (path: string) => join(world.workspace, path);
  const read = (path: string) => readFileSync(inWorkspace(path), 'utf8');

  it('still leaves alone what others obey after it made its folder look like a repository @relaunch.leaves-alone-obey', async () => {
    const kept = ['.git/config', '.git/hooks/pre-commit', '.vscode/tasks.json', '.mcp.json', '.husky/pre-commit'];
    for (const path of [...kept, 'lib/.git/config']) world.file(`work/project/${path}`, 'as it was');
    await world.sh('mkdir objects refs; echo "ref: refs/heads/main" > HEAD; echo > config', world.writing);
    const all = [...kept, 'lib/.git/config'];
    refused(await world.sh(`for f in ${all.join(' ')}; do echo evil > $f; done`, world.writing));
    for (const path of all) assert.equal(read(path), 'as it was', path);
  });

  it('reads nothing more by a link that it named like something that others obey @relaunch.reads-link-named', async () => {
    world.file('.ssh/id', 'secret');
    world.file('notes/a.txt', 'secret');
    await world.sh('ln -s ~/.ssh .idea; ln -s ~/notes .husky', world.writing);
    assert.doesNotMatch(await world.sh('cat ~/.ssh/id ~/notes/a.txt .idea/id .husky/a.txt', world.writing), /secret/);
  });

  it('reads nothing more by a link in the place of what it is started with @relaunch.reads-link-place', async () => {
    world.file('notes/a.txt', 'secret');
    world.file('other/lib/b.txt', 'secret');
    world.file('work/project/data.txt', 'its data');
    mkdirSync(inWorkspace('sub'));
    const options = { ...world.writing, base: world.home };
    const args = [inWorkspace('data.txt'), '--directory', inWorkspace('sub')];
    const run = (script: string) => world.run('sh', ['-c', script, 'sh', ...args], options);
    assert.match(await run('cat "$1"'), /its data/);
    await run('rm data.txt; ln -s ~/notes/a.txt data.txt; rmdir sub; ln -s ~/other/lib sub');
    assert.doesNotMatch(await run('cat "$1" "$3"/b.txt ~/notes/a.txt ~/other/lib/b.txt'), /secret/);
    // A name without an ending may be a program, with all that it needs.
    const data = inWorkspace('data');
    await run('mkdir ~/work/project/x; ln -s ~/notes/a.txt data');
    assert.doesNotMatch(await world.run('sh', ['-c', 'cat ~/notes/a.txt', 'sh', data], options), /secret/);
  });

  it('reads no root of which it made a link @relaunch.reads-root-made', async () => {
    world.file('notes/a.txt', 'secret');
    mkdirSync(inWorkspace('sub'));
    const options = { ...world.writing, roots: [world.workspace, inWorkspace('sub')], base: world.home };
    await world.sh('rmdir sub; ln -s ~/notes sub', options);
    assert.doesNotMatch(await world.sh('cat sub/a.txt ~/notes/a.txt', options), /secret/);
    assert.match(world.notes.join('\n'), /sub is left out of its roots/);
  });

  it('does not start where it made a link of a place that its entry names @relaunch.start-made-link', async () => {
    world.folder('home/notes');
    for (const more of [{ write: [world.workspace, inWorkspace('out')] }, { read: [inWorkspace('out')] }]) {
      const options = { rules: { ...world.writing.rules, ...more }, base: world.home };
      assert.match(await world.sh('ln -s ~/notes out; echo made', options), /made/);
      await assert.rejects(world.sh('echo evil > ~/notes/a', options), {
        code: 'SANDBOX_RULES',
        message: /is a link that leads out of its folder/,
      });
      rmSync(inWorkspace('out'));
    }
  });

  it('changes nothing in a folder that it has closed to everybody @relaunch.changes-folder-closed', async () => {
    world.file('work/project/deep/lib/.git/config', 'as it was');
    await world.sh('chmod 000 deep', world.writing);
    const said = await world.sh('chmod 755 deep; echo evil > deep/lib/.git/config', world.writing);
    await world.sh('chmod 755 deep', { rules: { write: [inWorkspace('deep')] } });
    refused(said);
    assert.equal(read('deep/lib/.git/config'), 'as it was');
  });

  it('does not start where more is to be protected than a sandbox can in good time', async () => {
    for (let i = 0; i < 400; i++) world.file(`work/project/d${i}/package.json`, '{}');
    await assert.rejects(world.sh('true', world.writing), { code: 'SANDBOX_RULES', message: /holds too many folders/ });
  });

  it('changes neither the file that its variables come from nor where its .git file leads @relaunch.changes-neither-file', async () => {
    const envFile = world.file('work/project/settings.env', 'A=b');
    world.file('work/project/.git', 'gitdir: ../real');
    const options = { ...world.writing, keeps: [envFile] };
    refused(await world.sh('echo npm_config_registry=https://evil.example > settings.env', options));
    assert.equal(read('settings.env'), 'A=b');
    await assert.rejects(world.sh('true', { rules: { write: [inWorkspace('.git')] } }), {
      code: 'SANDBOX_RULES',
      message: /cannot be made writable/,
    });
  });

  it('sees no .env of other projects, however many folders it made beside them @relaunch.sees-env-projects', async () => {
    world.file('work/zz-other/.env', 'secret');
    const rules = { write: [join(world.home, 'work')], read: ['~'] };
    await world.node(`for (let i = 0; i < 600; i++) require('fs').mkdirSync('../d' + i)`, { rules });
    assert.doesNotMatch(await world.sh('cat ../zz-other/.env', { rules }), /secret/);
  });

  it('finds links of the person that were there before it', async () => {
    world.file('work/project/tools/hook', 'as it was');
    symlinkSync('tools', inWorkspace('.husky'));
    writeFileSync(inWorkspace('a.txt'), 'a');
    symlinkSync('a.txt', inWorkspace('b.txt'));
    assert.match(await world.run('cat', [inWorkspace('b.txt')], world.writing), /^a$/);
    refused(await world.sh('echo evil > tools/hook; echo evil > .husky/hook; mv tools t', world.writing));
    assert.equal(read('.husky/hook'), 'as it was');
    assert.ok(existsSync(inWorkspace('tools')));
  });
});

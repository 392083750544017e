import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { releaseGroup, spawnGroup } from '../../../../src/host/launch/processGroup';
import { misplaced } from '../../../../src/host/sandbox/mounts';
import { onlyWhereConfined, World } from './confined';

describe('What is mounted in a folder that another program may change', () => {
  let world: World;
  let sub: string;
  before(onlyWhereConfined);
  beforeEach(() => {
    world = new World();
    sub = world.folder('home/work/project/a b/sub');
    world.file('Documents/private.txt', 'private');
  });
  afterEach(() => world.remove());

  /** What is wrong for a process that sees one folder at the place of another. */
  const whereMounted = async (from: string, to: string) => {
    const child = spawn('bwrap', ['--ro-bind', '/', '/', '--bind', from, to, '--', 'sh', '-c', 'echo ready; read x']);
    try {
      await once(child.stdout, 'data');
      const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]);
      return await misplaced(pid, [{ path: sub, isFolder: true, access: 'write' }], [world.workspace], { mostMs: 100 });
    } finally {
      child.stdin.end();
      await once(child, 'exit');
    }
  };
  /** Another program that may change the workspace, until the end of the scope. */
  const other = async () => {
    const launch = await world.confined('cat', [], { ...world.writing, folder: join(world.top, 'storage/other') });
    const child = spawnGroup(launch);
    launch.attach?.(child);
    return {
      async [Symbol.asyncDispose]() {
        child.stdin?.end();
        await once(child, 'exit');
        releaseGroup(child.pid!);
        await launch.end();
      },
    };
  };

  it('is what lies there, or else the program does not begin @mounts.lies-else-begin', async () => {
    assert.equal(await whereMounted(sub, sub), undefined);
    assert.equal(await whereMounted(join(world.home, 'Documents'), sub), sub);
    assert.equal(await whereMounted(sub, join(world.home, 'Documents')), sub);
  });

  it('is never where a link leads that came to be after the policy was made @mounts.link-after-policy', async () => {
    await using _other = await other();
    const options = { rules: { write: [sub] }, roots: [], cwd: '/' };
    const script = `cat "${sub}/private.txt" ~/Documents/private.txt; echo x > "${sub}/x"; echo x > ~/Documents/x; echo done`;
    assert.match(await world.sh(script, options), /done/);
    assert.ok(existsSync(join(sub, 'x')));
    const launch = await world.confined('sh', ['-c', script], options);
    renameSync(sub, `${sub}-before`);
    symlinkSync(join(world.home, 'Documents'), sub);
    const child = spawnGroup(launch);
    launch.attach?.(child);
    let said = '';
    child.stdout?.on('data', chunk => (said += String(chunk)));
    await once(child, 'exit');
    releaseGroup(child.pid!);
    await launch.end();
    assert.equal(said, '');
    assert.ok(!existsSync(join(world.home, 'Documents/x')));
  });

  it('is nothing that a link of the other program leads to: it is in no list, and no root @mounts.nothing-link-other', async () => {
    await using _other = await other();
    const link = join(world.workspace, 'data');
    symlinkSync(join(world.home, 'Documents'), link);
    symlinkSync(sub, join(world.workspace, 'inside'));
    for (const rules of [{ read: [link] }, { write: [link] }])
      await assert.rejects(world.sh('true', { rules, base: world.home, roots: [] }), { code: 'SANDBOX_RULES' });
    const options = { roots: [link], base: world.home, cwd: '/' };
    assert.doesNotMatch(await world.sh(`cat ${link}/private.txt`, options), /^private/);
    assert.match(world.notes.join('\n'), /left out of its roots/);
    mkdirSync(join(sub, 'seen'));
    assert.match(await world.sh('ls', { rules: { read: [join(world.workspace, 'inside')] }, cwd: sub }), /seen/);
  });
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { WindowLock } from '../../../../../src/features/auth/core/windowLock';
import { type Fixture, fixturePath, startScript, waitFor } from '../../../../servers/spawn';
import { temporaryFolder } from '../../../../setup/paths';

describe('the lock between windows', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const locks = () => path.join(folder, 'locks');
  const file = () => path.join(folder, 'said');
  const lines = () => (existsSync(file()) ? readFileSync(file(), 'utf8').trim().split('\n') : []);
  const holder = (times: string) => startScript(fixturePath('lockHolder'), [locks(), 'a key', times, file()]);

  it('is held by one of four competing processes at a time', async () => {
    const windows = Array.from({ length: 4 }, () => holder('5'));
    for (const { exited } of windows) assert.equal(await exited, 0);
    const said = lines();
    assert.equal(said.length, 40);
    for (let i = 0; i < said.length; i += 2) {
      const [, pid] = said[i]!.split(' ');
      assert.deepEqual(said.slice(i, i + 2), [`take ${pid}`, `give ${pid}`]);
    }
    assert.deepEqual(readdirSync(locks()), [], 'nothing is left');
  });

  it('keeps the order within one window, and continues after a failure', async () => {
    const lock = new WindowLock(locks());
    const done: number[] = [];
    const runs = [1, 2, 3].map(async n => {
      await lock.run('a key', async () => {
        done.push(n);
        if (n === 2) throw new Error('failed');
      });
    });
    const ends = await Promise.allSettled(runs);
    assert.deepEqual(done, [1, 2, 3]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('keeps different keys independent', async () => {
    const lock = new WindowLock(locks());
    await lock.run('a key', () => lock.run('another', async () => undefined));
  });

  const taken = async (process: Fixture) => {
    await waitFor(() => lines().includes(`take ${process.child.pid}`), { what: 'the other window to have it' });
    return path.join(locks(), readdirSync(locks())[0]!);
  };

  it('is taken over immediately from a crashed window, even while others wait, and leaves nothing behind @windowLock.taken-immediately-crashed', async () => {
    const crashed = holder('hang');
    await taken(crashed);
    const waiting = holder('1');
    await waitFor(() => readdirSync(locks()).length > 1, { what: 'another window to wait' });
    waiting.child.kill('SIGKILL');
    crashed.child.kill('SIGKILL');
    await Promise.all([crashed.exited, waiting.exited]);
    // Without a look at the process it would be a minute, which this test has not.
    const windows = Array.from({ length: 3 }, () => holder('3'));
    for (const { exited } of windows) assert.equal(await exited, 0);
    assert.equal(lines().length, 1 + 18);
    assert.deepEqual(readdirSync(locks()), []);
  });

  it('is not taken over from a live window that renews it, however long that takes @windowLock.taken-live-window', async () => {
    const limits = { beatMs: 20, staleLooks: 10 };
    const order: string[] = [];
    let other: Promise<void> | undefined;
    await new WindowLock(locks(), limits).run('a key', async stillHeld => {
      const [name = ''] = readdirSync(locks());
      const [owner = ''] = readdirSync(path.join(locks(), name));
      other = new WindowLock(locks(), limits).run('a key', async () => void order.push('other'));
      const beats = new Set<number>();
      const beat = () => beats.add(statSync(path.join(locks(), name, owner)).mtimeMs).size;
      // As many times as the other one looks before it takes over, and some more.
      await waitFor(() => beat() > 60, { what: 'it to be renewed' });
      await stillHeld();
      order.push('first');
    });
    await other;
    assert.deepEqual(order, ['first', 'other']);
  });

  it('is taken over from a frozen window, which notices, takes nothing back, and runs again @windowLock.taken-frozen-window', async function () {
    if (process.platform === 'win32') this.skip(); // it has no SIGSTOP
    const frozen = holder('ask');
    const lock = await taken(frozen);
    const [before] = readdirSync(lock);
    frozen.child.kill('SIGSTOP');
    await new WindowLock(locks(), { beatMs: 50, staleLooks: 10 }).run('a key', async stillHeld => {
      const [owner = ''] = readdirSync(lock);
      assert.notEqual(owner, before);
      frozen.child.kill('SIGCONT');
      frozen.child.stdin!.write('\n');
      await waitFor(() => lines().some(line => line.startsWith('lost')), { what: 'the other window to notice' });
      // It waits behind this one now, and has left it what is its own.
      await waitFor(() => readdirSync(locks()).length > 1, { what: 'the other window to wait' });
      assert.deepEqual(readdirSync(lock), [owner]);
      await stillHeld();
      assert.deepEqual(
        lines().map(line => line.split(' ')[0]),
        ['take', 'lost'],
      );
    });
    await waitFor(() => lines().length === 3, { what: 'the other window to have it again' });
    frozen.child.stdin!.write('\n');
    assert.equal(await frozen.exited, 0);
    assert.deepEqual(
      lines().map(line => line.split(' ')[0]),
      ['take', 'lost', 'take', 'kept', 'give'],
    );
    assert.deepEqual(readdirSync(locks()), []);
  });

  it('has one owner when many take it over at once from an owner that cannot be looked up @windowLock.owner-many-take', async () => {
    await new WindowLock(locks()).run('a key', async () => {
      const [name = ''] = readdirSync(locks());
      mkdirSync(path.join(folder, 'elsewhere', name), { recursive: true });
      // The process of another container may have the number of one that has ended here.
      writeFileSync(path.join(folder, 'elsewhere', name, '99999999.another-machine.a-window'), '');
    });
    renameSync(path.join(folder, 'elsewhere'), `${locks()}2`);
    let [inside, most, done] = [0, 0, 0];
    const windows = Array.from({ length: 20 }, () =>
      new WindowLock(`${locks()}2`, { beatMs: 100, staleLooks: 40 }).run('a key', async stillHeld => {
        most = Math.max(most, ++inside);
        await stillHeld();
        done++;
        inside--;
      }),
    );
    await Promise.all(windows);
    assert.deepEqual([most, done], [1, 20]);
    assert.deepEqual(readdirSync(`${locks()}2`), []);
  });

  it('works despite an empty folder left by an older version or a half-finished release', async () => {
    let name = '';
    await new WindowLock(locks()).run('a key', async () => {
      [name = ''] = readdirSync(locks());
    });
    mkdirSync(path.join(locks(), name));
    await new WindowLock(locks()).run('a key', async () => undefined);
    assert.deepEqual(readdirSync(locks()), []);
  });
});

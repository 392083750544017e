import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { WindowLock } from '../../../../src/editor/auth/windowLock';
import { fixturePath, startScript, waitFor } from '../../../servers/spawn';

describe('the lock between windows', function () {
  this.timeout(20_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const locks = () => path.join(folder, 'locks');
  const file = () => path.join(folder, 'said');
  const lines = () => (existsSync(file()) ? readFileSync(file(), 'utf8').trim().split('\n') : []);
  const holder = (times: string) => startScript(fixturePath('lockHolder'), [locks(), 'a key', times, file()]);

  it('is held by one process at a time, of four that want it', async () => {
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

  it('keeps the order of one window, and goes on after a failure', async () => {
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

  it('does not make one key wait for another', async () => {
    const lock = new WindowLock(locks());
    await lock.run('a key', () => lock.run('another', async () => undefined));
  });

  it('is taken over from a window that crashed, but not before a minute', async () => {
    const crashed = holder('hang');
    await waitFor(() => lines().length === 1, { what: 'the other window to have it' });
    crashed.child.kill('SIGKILL');
    await crashed.exited;
    let taken = false;
    const mine = new WindowLock(locks()).run('a key', async () => {
      taken = true;
    });
    const [left] = readdirSync(locks());
    assert.ok(left);
    const lock = path.join(locks(), left);
    const aged = (ms: number) => utimesSync(lock, new Date(), new Date(Date.now() - ms));
    aged(30_000);
    await new WindowLock(locks()).run('another', async () => undefined);
    assert.equal(taken, false);
    aged(61_000);
    await mine;
    assert.deepEqual(readdirSync(locks()), []);
  });
});

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository, temporaryFolder } from '../setup/paths';

/** Runs a program in a view of the disks of its own, where `$1` is a disk of 64 KB. */
const SMALL_DISK = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"', 'sh'];

describe('a disk that is full for a while', () => {
  let found: Record<string, Record<string, unknown>>;
  before(function () {
    const folder = temporaryFolder();
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    // Only Linux has this, and only where users may have their own view of the disks.
    if (spawnSync('unshare', [...SMALL_DISK, disk, 'true']).status !== 0) return this.skip();
    const program = [process.execPath, inRepository('out/test/unit/onFullDisk.js'), disk, folder];
    found = JSON.parse(
      execFileSync('unshare', [...SMALL_DISK, disk, ...program], { encoding: 'utf8', timeout: 60_000 }),
    );
  });

  it('loses no event of the audit log, shows all of them meanwhile, and cuts none of another window @fullDisk.loses-event-audit', () => {
    const { shown, whole, onDisk, expected, copied } = found.log as Record<string, unknown>;
    const all = [...(expected as string[]), 'other window', 'last'].sort();
    assert.deepEqual(shown, { events: expected, cut: 1 });
    for (const { events, cut } of [whole, onDisk] as { events: string[]; cut: number }[]) {
      assert.deepEqual([events.sort(), cut], [all, 1]);
    }
    assert.deepEqual(copied, { events: [...(expected as string[]), 'last'], cut: 0 });
  });

  it('keeps the file that was to be replaced, and leaves no half of a new one @fullDisk.keeps-file-replaced', () => {
    const full = 'ENOSPC: no space left on device, write';
    assert.deepEqual(found.files, { reasons: [full, full], kept: 'before', left: [] });
  });

  it('is the reason why a bundle is not downloaded or unpacked, and has nothing left of it @fullDisk.reason-why-bundle', () => {
    const { unpacked, downloaded, left } = found.bundles as Record<string, string>;
    assert.deepEqual([unpacked, left], ['ENOSPC: no space left on device, write', []]);
    assert.match(downloaded!, /^it cannot be downloaded \(ENOSPC/);
  });
});

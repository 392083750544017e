import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createFile, replaceFile, replaceFileSync } from '../../../src/base/files';
import { writeSnapshotFile } from '../../../src/features/authors/core/snapshotFile';
import { temporaryFolder } from '../../setup/paths';

const WAYS = {
  replaceFile,
  replaceFileSync: async (...given: Parameters<typeof replaceFileSync>) => replaceFileSync(...given),
};

describe('writing files', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'file.json');
  });

  it('replaces the content, and keeps the mode unless one is given', async () => {
    for (const [what, replace] of Object.entries(WAYS)) {
      await replace(file, 'one');
      assert.equal(readFileSync(file, 'utf8'), 'one');
      chmodSync(file, 0o600);
      await replace(file, 'two');
      assert.equal(readFileSync(file, 'utf8'), 'two');
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600, what);
      await replace(file, 'three', 0o644);
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o644, what);
      assert.deepEqual(readdirSync(folder), ['file.json'], 'nothing else is left');
    }
  });

  it('neither follows nor replaces a link', async function () {
    if (process.platform === 'win32') this.skip();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, `${file}.${process.pid}.tmp`);
    symlinkSync(victim, join(folder, 'link'));
    symlinkSync(join(folder, 'nothing'), join(folder, 'nowhere'));
    for (const replace of Object.values(WAYS)) {
      await replace(file, 'text');
      await assert.rejects(replace(join(folder, 'link'), 'text'), /link was not written, because it is a link/);
      await assert.rejects(replace(join(folder, 'nowhere'), 'text'), /because it is a link/);
      assert.deepEqual([readFileSync(victim, 'utf8'), existsSync(join(folder, 'nothing'))], ['mine', false]);
    }
  });

  it('leaves nothing behind on failure', async () => {
    mkdirSync(join(folder, 'taken'));
    for (const replace of Object.values(WAYS)) {
      await assert.rejects(replace(join(folder, 'taken'), 'text'), /not a regular file/);
      await assert.rejects(replace(join(folder, 'missing', 'file'), 'text'), { code: 'ENOENT' });
    }
    assert.deepEqual(readdirSync(folder), ['taken']);
  });

  it('creates a file only where nothing exists, not even a dangling link', async function () {
    await createFile(file, 'one');
    await assert.rejects(createFile(file, 'two'), { code: 'EEXIST' });
    assert.equal(readFileSync(file, 'utf8'), 'one');
    if (process.platform === 'win32') this.skip();
    symlinkSync(join(folder, 'nothing'), join(folder, 'nowhere'));
    await assert.rejects(createFile(join(folder, 'nowhere'), 'text'), { code: 'EEXIST' });
    assert.ok(!existsSync(join(folder, 'nothing')));
  });

  it('refuses a snapshot path that a repository made a link', async function () {
    if (process.platform === 'win32') this.skip();
    const victim = join(folder, '.bashrc');
    writeFileSync(victim, 'mine');
    const snapshot = join(folder, 'mcp.snapshot.json');
    // Of this process, and of those that may come.
    for (let pid = process.pid; pid < process.pid + 100; pid++) symlinkSync(victim, `${snapshot}.${pid}.tmp`);
    const nothing = { version: 1 as const, tools: {}, prompts: {}, resourceTemplates: {} };
    await writeSnapshotFile(snapshot, nothing);
    assert.match(readFileSync(snapshot, 'utf8'), /"version": 1/);
    rmSync(snapshot);
    symlinkSync(victim, snapshot);
    await assert.rejects(writeSnapshotFile(snapshot, nothing), /because it is a link/);
    assert.equal(readFileSync(victim, 'utf8'), 'mine');
  });
});

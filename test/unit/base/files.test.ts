import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { createFile, readBounded, replaceFile, replaceFileSync } from '../../../src/base/files';
import { english } from '../../../src/base/phrase';
import { writeSnapshotFile } from '../../../src/features/authors/core/interfaceSnapshot';
import { findServers, places, readPlace } from '../../../src/features/setup/core/findServers';
import { temporaryFolder } from '../../setup/paths';
import { hostile, TestHost } from '../host/testHost';

describe('files written by others', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('are read in full up to the limit, to the byte', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'é'.repeat(50_000));
    assert.equal(await readBounded(file, 100_000), 'é'.repeat(50_000));
    await assert.rejects(readBounded(file, 99_999), /it is larger than/);
    writeFileSync(file, '');
    assert.equal(await readBounded(file, 1), '');
  });

  it('must be regular files: endless devices, pipes without a writer and folders are refused, also behind a link @files.regular-files-endless', async () => {
    await assert.rejects(readBounded(folder, 100), /it is not a regular file/);
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync(join(folder, 'pipe'), join(folder, 'to-pipe'));
    symlinkSync('/dev/zero', join(folder, 'to-zero'));
    for (const path of ['/dev/zero', join(folder, 'to-zero'), join(folder, 'pipe'), join(folder, 'to-pipe')])
      await assert.rejects(readBounded(path, 100), /it is not a regular file/, path);
  });

  it('are bounded even when the system reports size zero', async () => {
    if (process.platform !== 'linux') return;
    assert.match(await readBounded('/proc/self/stat', 100_000), /^\d+ \(/);
    await assert.rejects(readBounded('/proc/self/stat', 10), /it is larger than/);
  });

  it("are skipped in the search for a repository's servers if they are devices or large, and the rest is found @files.skipped-search-repository", async function () {
    if (process.platform === 'win32') this.skip();
    symlinkSync('/dev/zero', join(folder, '.mcp.json'));
    const all = places({ platform: 'linux', home: join(folder, 'home'), env: {}, folders: [folder] });
    const { found, unreadable } = await findServers(all);
    assert.deepEqual(found, []);
    assert.deepEqual(
      unreadable.map(({ reason }) => english(reason)),
      ['it is not a regular file'],
    );
    const large = join(folder, 'mcp.json');
    writeFileSync(large, JSON.stringify({ mcpServers: { a: { command: 'x' }, pad: ' '.repeat(1024 * 1024) } }));
    const place = { host: 'File', path: large, dialect: 'unknown', inWorkspace: true } as const;
    await assert.rejects(readPlace(place, large), /it is larger than 1 MB/);
    assert.equal((await readPlace({ ...place, inWorkspace: false }, large)).length, 1);
  });

  it('fail the start of a server whose envFile is endless', async function () {
    if (process.platform === 'win32') this.skip();
    await using test = new TestHost();
    test.configure({ one: { ...hostile(), envFile: '/dev/zero' } });
    const { error } = await test.reaches('one', 'failed');
    assert.match(error.message, /its "envFile" \/dev\/zero could not be read/);
  });
});

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

  it('neither follows nor replaces a link @files.neither-follows-replaces', async function () {
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

  it('refuses a snapshot path that a repository made a link @files.refuses-snapshot-path', async function () {
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

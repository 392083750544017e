import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inspectBundle } from '../../../../../src/features/bundles/core/bundleFile';
import { BundleStore } from '../../../../../src/features/bundles/core/bundleStore';
import { readManifest } from '../../../../../src/features/bundles/core/manifest';
import { temporaryFolder } from '../../../../setup/paths';
import { bundleWith, manifestWith, type OddEntry, writeZip } from './zipBytes';

describe('the storage of unpacked bundles', () => {
  let folder: string;
  let store: BundleStore;
  const { signal } = new AbortController();
  beforeEach(() => {
    folder = temporaryFolder();
    store = new BundleStore(join(folder, 'bundles'));
  });

  const add = async (entries: readonly OddEntry[], by = signal) => {
    const bundle = await inspectBundle(writeZip(join(folder, 'a.mcpb'), entries), { signal, platform: 'linux' });
    try {
      return await store.add(bundle, by);
    } finally {
      await bundle.file.close();
    }
  };
  const left = () => (existsSync(store.folder) ? readdirSync(store.folder) : []);

  it('has the files of a bundle in a folder of its own, and what it is beside it', async () => {
    const at = await add(
      bundleWith(manifestWith(), { name: 'empty/', mode: 0o040755 }, { name: 'a/b/ü.txt', content: 'text' }),
    );
    assert.match(basename(at), /^sample-1\.0\.0-[\da-f]{16}$/);
    assert.equal(readFileSync(join(at, 'a/b/ü.txt'), 'utf8'), 'text');
    assert.ok(statSync(join(at, 'empty')).isDirectory());
    const { sha256, ...record } = (await store.recordOf(basename(at)))!;
    assert.match(sha256, /^[\da-f]{64}$/);
    assert.deepEqual(record, { name: 'sample', title: 'sample', version: '1.0.0', values: {} });
  });

  it('has each content once, and another version beside it', async () => {
    const first = await add(bundleWith());
    writeFileSync(join(first, 'own.txt'), 'written by the server');
    assert.equal(await add(bundleWith()), first);
    assert.ok(existsSync(join(first, 'own.txt')));
    const second = await add(bundleWith(manifestWith({ version: '1.0.1' })));
    assert.notEqual(second, first);
    await store.remove(basename(first));
    assert.deepEqual(left().sort(), [basename(second), `${basename(second)}.json`]);
  });

  it('knows a version of a bundle from one by another author, which gets none of its values', async () => {
    const unpacked = basename(await add(bundleWith()));
    const other = (changes: object) => readManifest(JSON.stringify(manifestWith(changes)), 'linux');
    const version = await store.relation(unpacked, other({ version: '2.0.0' }));
    assert.ok(version && 'record' in version && version.record.version === '1.0.0');
    assert.deepEqual(await store.relation(unpacked, other({ author: { name: 'Mallory' } })), {
      otherAuthor: 'Someone',
    });
    assert.equal(await store.relation(unpacked, other({ name: 'other' })), undefined);
    rmSync(join(store.folder, unpacked, 'manifest.json'));
    const unread = await store.relation(unpacked, other({}));
    assert.ok(unread && 'record' in unread && unread.before === undefined);
  });

  it('unpacks again what was not finished @bundleStore.unpacks-finished', async () => {
    const at = await add(bundleWith());
    rmSync(`${at}.json`);
    rmSync(join(at, 'server'), { recursive: true });
    assert.equal(await add(bundleWith()), at);
    assert.ok(existsSync(join(at, 'server/index.js')));
  });

  it('marks programs as such, as the bundle or its manifest says', async function () {
    if (process.platform === 'win32') this.skip();
    const server = { type: 'binary', entry_point: 'tool', mcp_config: { command: '${__dirname}/start', args: [] } };
    const at = await add(
      bundleWith(
        manifestWith({ server }),
        { name: 'tool' },
        { name: 'start' },
        { name: 'x', mode: 0o104755 },
        { name: 'y' },
      ),
    );
    const modes = ['tool', 'start', 'x', 'y'].map(name => statSync(join(at, name)).mode & 0o7111);
    assert.deepEqual(modes, [0o111, 0o111, 0o111, 0]);
  });

  it('has nothing left of a bundle that says less than it holds, however well it is packed @bundleStore.left-bundle-less', async () => {
    const bomb = { name: 'bomb', content: Buffer.alloc(200 * 1024 * 1024), declared: 10 };
    await assert.rejects(add(bundleWith(manifestWith(), bomb)), { code: 'BROKEN' });
    assert.deepEqual(left(), []);
    await assert.rejects(add(bundleWith(manifestWith(), { name: 'short', content: 'x', declared: 9 })), {
      code: 'BROKEN',
    });
    assert.deepEqual(left(), []);
  });

  it('has nothing left of a bundle that was cancelled, or changed while it was read @bundleStore.left-bundle-cancelled', async () => {
    const abort = new AbortController();
    abort.abort(new Error('cancelled'));
    await assert.rejects(add(bundleWith(), abort.signal), /cancelled/);
    const bundle = await inspectBundle(writeZip(join(folder, 'a.mcpb'), bundleWith()), { signal });
    const bytes = readFileSync(join(folder, 'a.mcpb'));
    bytes[bytes.length - 30]! ^= 1;
    writeFileSync(join(folder, 'a.mcpb'), bytes);
    await assert.rejects(store.add(bundle, signal), { code: 'CHANGED' });
    await bundle.file.close();
    assert.deepEqual(left(), []);
  });

  it('removes what an earlier window did not finish, and leaves what is going on @bundleStore.removes-earlier-window', async () => {
    mkdirSync(join(store.folder, '.new-old'), { recursive: true });
    mkdirSync(join(store.folder, '.new-now'));
    utimesSync(join(store.folder, '.new-old'), 1_000, 1_000);
    const at = await add(bundleWith());
    assert.deepEqual(left().sort(), ['.new-now', basename(at), `${basename(at)}.json`]);
  });

  it('has the manifest that was unpacked, and none of a bundle whose manifest is gone', async () => {
    const name = basename(await add(bundleWith(manifestWith({ version: '2.0.0' }))));
    assert.equal((await store.manifestOf(name))?.version, '2.0.0');
    writeFileSync(join(store.folder, name, 'manifest.json'), '{');
    assert.deepEqual([await store.manifestOf(name), await store.manifestOf('none')], [undefined, undefined]);
  });

  it('has nothing of a bundle that is refused, whatever for', async () => {
    const link: OddEntry = { name: 'link', content: '/etc/passwd', mode: 0o120777 };
    const many = Array.from({ length: 100_000 }, (_, index): OddEntry => ({ name: `f/${index}`, method: 0 }));
    const outside = { type: 'node', entry_point: '../x.js', mcp_config: { command: 'node' } };
    const size = (name: string): OddEntry => ({ name, content: 'x', declared: 1_500 * 1024 * 1024 });
    for (const [entries, code] of [
      [bundleWith(manifestWith(), link), 'UNSAFE'],
      [bundleWith(manifestWith(), { name: '../evil.js' }), 'UNSAFE'],
      [[...bundleWith(), ...bundleWith()], 'UNSAFE'],
      [bundleWith(manifestWith({ server: outside })), 'UNSAFE'],
      [bundleWith(manifestWith({ manifest_version: '9.0' })), 'MANIFEST'],
      [bundleWith(manifestWith(), size('a'), size('b')), 'TOO_LARGE'],
      [bundleWith(manifestWith(), ...many), 'TOO_LARGE'],
    ] as const) {
      await assert.rejects(add(entries), { code });
      assert.deepEqual([left(), readdirSync(folder)], [[], ['a.mcpb']], code);
    }
  });

  it('has no record of what is not there or broken', async () => {
    assert.equal(await store.recordOf('none'), undefined);
    mkdirSync(store.folder);
    for (const text of ['', '[]', '{"name":"x"}']) {
      writeFileSync(join(store.folder, 'odd.json'), text);
      assert.equal(await store.recordOf('odd'), undefined);
    }
    await store.remove('none');
  });
});

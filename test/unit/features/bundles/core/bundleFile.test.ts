import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleFault } from '../../../../../src/features/bundles/core/bundleError';
import { EntryNames, inspectBundle } from '../../../../../src/features/bundles/core/bundleFile';
import { temporaryFolder } from '../../../../setup/paths';
import { bundleWith, manifestWith, type OddEntry, writeZip, zipBytes } from './zipBytes';

const MB = 1024 * 1024;

describe('a bundle that is opened', () => {
  let folder: string;
  let path: string;
  const { signal } = new AbortController();
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'sample.mcpb');
  });

  const open = async (entries: readonly OddEntry[], options: Partial<Parameters<typeof inspectBundle>[1]> = {}) => {
    writeZip(path, entries);
    const found = await inspectBundle(path, { signal, platform: 'linux', ...options });
    await found.file.close();
    return found;
  };
  const isFault = (code: BundleFault, what: RegExp) => (error: Error & { code?: string }) => {
    assert.match(error.message, what);
    return error.code === code;
  };
  const refuses = (entries: readonly OddEntry[], code: BundleFault, what: RegExp) =>
    assert.rejects(open(entries), isFault(code, what));
  const refusesFile = (code: BundleFault, what: RegExp) =>
    assert.rejects(inspectBundle(path, { signal }), isFault(code, what));

  it('is known by its content and its manifest', async () => {
    const { file, manifest } = await open(bundleWith(manifestWith({ display_name: 'A Sample' })));
    assert.equal(file.sha256, createHash('sha256').update(readFileSync(path)).digest('hex'));
    assert.deepEqual(
      [manifest.name, manifest.title, manifest.version, manifest.author],
      ['sample', 'A Sample', '1.0.0', 'Someone'],
    );
    assert.deepEqual(file.signature, { kind: 'none' });
    assert.equal(file.entries.length, 2);
  });

  it('may have any known version of the manifest, a mark of its encoding, and names with backslashes', async () => {
    for (const version of ['0.1', '0.2', '0.3', '0.4'])
      await open(bundleWith(manifestWith({ manifest_version: version })));
    await open(bundleWith(manifestWith({ manifest_version: undefined, dxt_version: '0.1' })));
    await open(bundleWith(`\ufeff${JSON.stringify(manifestWith())}`));
    const { file } = await open(bundleWith(manifestWith(), { name: 'lib\\a.js' }));
    assert.ok(file.find('lib/a.js'));
  });

  it('is refused when it is no zip file, or not all of it', async () => {
    for (const bytes of ['', 'PK', 'not a zip file', zipBytes(bundleWith()).subarray(0, -30)]) {
      writeFileSync(path, bytes);
      await refusesFile('BROKEN', /not a complete zip file/);
    }
    const torn = zipBytes(bundleWith());
    torn.fill(0x20, 0, 60);
    writeFileSync(path, torn);
    await refusesFile('BROKEN', /not a complete zip file/);
  });

  it('is refused when it is a folder, a device, or not there', async function () {
    mkdirSync(path);
    await refusesFile('TOO_LARGE', /not a regular file/);
    await assert.rejects(inspectBundle(join(folder, 'none.mcpb'), { signal }), { code: 'ENOENT' });
    if (process.platform === 'win32') this.skip();
    const device = join(folder, 'device.mcpb');
    symlinkSync('/dev/zero', device);
    await assert.rejects(inspectBundle(device, { signal }), /not a regular file/);
  });

  it('of 2 GB is refused before any of it is read', async () => {
    writeFileSync(path, '');
    truncateSync(path, 2048 * MB);
    await refusesFile('TOO_LARGE', /larger than 512 MB/);
  });

  it('that would be too large unpacked is refused by what it says', async () => {
    const large = (name: string): OddEntry => ({ name, content: 'x', declared: 1_500 * MB });
    await refuses(bundleWith(manifestWith(), large('a'), large('b')), 'TOO_LARGE', /unpacked, it is larger than 2 GB/);
  });

  it('with 100,000 files is refused @bundleFile.100-000-files', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ name: `f/${index}`, method: 0 }));
    await refuses(bundleWith(manifestWith(), ...many), 'TOO_LARGE', /more than 50000 files/);
  });

  it('is refused with names outside of it, twice, or that are links or special files @bundleFile.refused-names-outside', async () => {
    for (const name of ['../evil.js', '/etc/cron.d/x', 'C:\\x', 'a/..\\..\\x']) {
      await refuses(bundleWith(manifestWith(), { name }), 'UNSAFE', /outside of its folder/);
    }
    await refuses(bundleWith(manifestWith(), { name: 'server/INDEX.js' }), 'UNSAFE', /twice/);
    await refuses([...bundleWith(), ...bundleWith()], 'UNSAFE', /twice/);
    for (const mode of [0o120777, 0o010644, 0o060644]) {
      await refuses(
        bundleWith(manifestWith(), { name: 'x', content: '/etc', mode }),
        'UNSAFE',
        /link or a special file/,
      );
    }
  });

  it('is refused when it is encrypted or packed in another way', async () => {
    await refuses(bundleWith(manifestWith(), { name: 'x', flags: 0x801 }), 'UNSAFE', /encrypted/);
    await refuses(bundleWith(manifestWith(), { name: 'x', method: 12 }), 'UNSAFE', /encrypted or packed/);
  });

  it('is refused without a manifest that can be read', async () => {
    await refuses([{ name: 'server/index.js' }], 'MANIFEST', /no manifest\.json/);
    await refuses([{ name: 'inner/manifest.json', content: '{}' }], 'MANIFEST', /no manifest\.json/);
    for (const text of ['', '{', '[]', 'null']) await refuses(bundleWith(text), 'MANIFEST', /not JSON/);
    await refuses(bundleWith(`"${'x'.repeat(MB)}"`), 'TOO_LARGE', /larger than 1 MB/);
    await refuses(bundleWith(manifestWith({ manifest_version: '0.5' })), 'MANIFEST', /version "0\.5"/);
    await refuses(bundleWith(manifestWith({ manifest_version: undefined })), 'MANIFEST', /version/);
  });

  it('names what is missing in its manifest', async () => {
    const { server } = manifestWith();
    for (const [changes, what] of [
      [{ name: '' }, /"name"/],
      [{ version: 1 }, /"version"/],
      [{ author: 'Someone' }, /"author\.name"/],
      [{ server: undefined }, /type of its server/],
      [{ server: { ...(server as object), type: 'ruby' } }, /type of its server is "ruby"/],
      [{ server: { ...(server as object), mcp_config: undefined } }, /"server\.mcp_config"/],
      [{ server: { ...(server as object), mcp_config: { command: 'node', args: [1] } } }, /"server\.mcp_config\.args"/],
      [
        { server: { ...(server as object), mcp_config: { command: 'node', env: { A: 1 } } } },
        /"server\.mcp_config\.env"/,
      ],
      [{ user_config: { key: { type: 'date' } } }, /"user_config\.key"/],
      [{ user_config: [] }, /"user_config"/],
    ] as const) {
      await refuses(bundleWith(manifestWith(changes)), 'MANIFEST', what);
    }
  });

  it('is refused with an entry point outside of it, or that it does not have', async () => {
    const at = (entry_point: string) =>
      bundleWith(manifestWith({ server: { ...(manifestWith().server as object), entry_point } }));
    for (const place of ['../server.js', '/usr/bin/env', 'server/../../x', 'C:/x.js'])
      await refuses(at(place), 'UNSAFE', /entry point/);
    await refuses(at('server/other.js'), 'MANIFEST', /entry point "server\/other\.js"/);
    await open(at('./server/index.js'));
  });

  it('is refused on a system that it is not for', async () => {
    const mac = bundleWith(manifestWith({ compatibility: { platforms: ['darwin'] } }));
    await refuses(mac, 'PLATFORM', /for darwin only/);
    await open(mac, { platform: 'darwin' });
  });

  it('is refused when the registry has another checksum @bundleFile.refused-registry-checksum', async () => {
    writeZip(path, bundleWith());
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    await open(bundleWith(), { sha256: sha256.toUpperCase() });
    await assert.rejects(open(bundleWith(), { sha256: '0'.repeat(64) }), isFault('CHECKSUM', new RegExp(sha256)));
  });

  it('is not read further once the person cancels', async () => {
    const abort = new AbortController();
    abort.abort(new Error('cancelled'));
    await assert.rejects(open(bundleWith(), { signal: abort.signal }), /cancelled/);
  });
});

describe('names of files in a bundle', () => {
  const add = (names: string[], platform: NodeJS.Platform = 'linux') => {
    const all = new EntryNames(platform);
    return names.map(name => all.add(name));
  };
  const refuses = (names: string[], what: RegExp, platform?: NodeJS.Platform) =>
    assert.throws(
      () => add(names, platform),
      (error: Error & { code?: string }) => error.code === 'UNSAFE' && what.test(error.message),
      names.join(),
    );

  it('are split, with folders before or after their files', () => {
    assert.deepEqual(add(['a/b/c.js', 'a/', 'a/b/', 'ü/é.js', 'a/.hidden', 'a/b.js/x']), [
      ['a', 'b', 'c.js'],
      ['a'],
      ['a', 'b'],
      ['ü', 'é.js'],
      ['a', '.hidden'],
      ['a', 'b.js', 'x'],
    ]);
  });

  it('are refused when they fill the memory together', () => {
    const all = new EntryNames('linux');
    const deep = `${'a'.repeat(20)}/`.repeat(40);
    const addMany = () => {
      for (let n = 0; n < 50_000; n++) all.add(`${deep}${n}`);
    };
    assert.throws(addMany, (error: Error & { code?: string }) => error.code === 'TOO_LARGE');
  });

  it('are refused outside of the folder', () => {
    for (const name of ['../x', 'a/../../x', '..', 'a/..', '/etc/passwd', '//server/share', 'C:/x', 'c:x', '../']) {
      refuses([name], /outside of its folder/);
    }
  });

  it('are refused when they are none', () => {
    for (const name of [
      '',
      '/'.repeat(2).slice(2),
      'a//b',
      './a',
      'a/./b',
      'a\0b',
      'a\nb',
      'x'.repeat(1_001),
      'a/'.repeat(70),
    ]) {
      refuses([name], /not a name/);
    }
  });

  it('are refused twice, also if only some systems take them for one', () => {
    refuses(['a.js', 'a.js'], /twice/);
    refuses(['README', 'readme'], /twice/);
    refuses(['A/x', 'a/X'], /twice/);
    refuses(['caf\u00e9', 'cafe\u0301'], /twice/);
    refuses(['a', 'a/b'], /twice/);
    refuses(['a/b', 'a'], /twice/);
  });

  it('are refused on Windows when they are devices, streams or other names there', () => {
    for (const name of ['con', 'aux.js', 'a/COM1', 'a.', 'b ', 'x:y/z', 'a:b', 'a?']) {
      refuses([name], /not a name|outside/, 'win32');
    }
    add(['aux.js', 'a/a:b', 'a.'], 'linux');
  });
});

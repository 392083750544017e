import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PackageReference, packagesOf } from '../../../../src/features/supply/core/packageReference';
import {
  cachedPackage,
  fetchedVersions,
  registryVersion,
  runningPackage,
} from '../../../../src/features/supply/localPackages';
import { sandboxFolder } from '../../../../src/host/sandbox/confinement';
import { itsServer } from '../../../setup/itsServer';
import { temporaryFolder } from '../../../setup/paths';

const one = (command: string, ...args: string[]): PackageReference => packagesOf(command, args)[0] ?? assert.fail();

describe('packages on this machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  function write(path: string, content: unknown): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }
  const cached = (name: string, spec: string, version: string, more = {}) => {
    const at = write(`_npx/${name}/package.json`, { _npx: { packages: [spec] } });
    write(`_npx/${name}/node_modules/@s/x/package.json`, { name: '@s/x', version, ...more });
    return at;
  };

  it("are found in npx's cache by the words it was given, the newest first, with their own metadata", async () => {
    utimesSync(cached('old', '@s/x', '1.0.0'), 1, 1);
    cached('new', '@s/x', '2.0.0', { author: { name: 'Somebody' } });
    cached('other', '@s/x@^1', '1.5.0', { author: 'Somebody <a@example.com>' });
    const env = { npm_config_cache: folder };
    assert.deepEqual(await cachedPackage(one('npx', '@s/x'), env), { version: '2.0.0', publisher: 'Somebody' });
    assert.deepEqual(await cachedPackage(one('npx', '@s/x@^1'), env), {
      version: '1.5.0',
      publisher: 'Somebody <a@example.com>',
    });
    assert.equal(await cachedPackage(one('npx', '@s/x@latest'), env), undefined);
    assert.equal(await cachedPackage(one('uvx', 'x'), env), undefined);
  });

  it("are found for a server without a fixed version: in its own cache when confined, else in the person's @localPackages.found-server-fixed", async () => {
    cached('new', '@s/x', '2.0.0');
    const env = { npm_config_cache: folder };
    const source = { scope: 'user' as const };
    const of = (...args: string[]) => {
      const entry = { type: 'stdio', command: 'npx', args, env } as never;
      return { entry, reviewed: entry, launch: args.join(' '), source, place: { base: folder } as never };
    };
    const sandboxes = join(folder, 'sandboxes');
    assert.deepEqual(await fetchedVersions(of('-y', '@s/x'), sandboxes), { '@s/x': '2.0.0' });
    assert.deepEqual(await fetchedVersions(of('-y', '@s/x@2.0.0'), sandboxes), {});
    assert.deepEqual(await fetchedVersions(of('-y', 'other'), sandboxes), {});
    const own = join(sandboxFolder('sandboxes', of('-y', '@s/x')), 'npm', '_npx', 'a');
    write(join(own, 'package.json'), { _npx: { packages: ['@s/x'] } });
    write(join(own, 'node_modules', '@s', 'x', 'package.json'), { name: '@s/x', version: '3.0.0' });
    assert.deepEqual(await fetchedVersions(of('-y', '@s/x'), sandboxes), { '@s/x': '3.0.0' });
    // What a repository's server of the same command has fetched is not what the person's runs.
    const ofRepository = { ...of('-y', '@s/x'), source: { scope: 'workspace' as const } };
    assert.deepEqual(await fetchedVersions(ofRepository, sandboxes), { '@s/x': '2.0.0' });
  });

  it('are not found in a cache that is missing, broken or owned by others', async () => {
    const env = { npm_config_cache: folder };
    assert.equal(await cachedPackage(one('npx', '@s/x'), env), undefined);
    write('_npx/a/package.json', '{');
    write('_npx/b/package.json', 'null');
    write('_npx/c/package.json', { _npx: 5 });
    write('_npx/d/package.json', { _npx: { packages: ['@s/x'] } });
    write('_npx/e/package.json', { _npx: { packages: ['@s/x'] } });
    write('_npx/e/node_modules/@s/x/package.json', { name: 'another', version: '1.0.0' });
    write('_npx/f/package.json', { _npx: { packages: ['@s/x'] } });
    write('_npx/f/node_modules/@s/x/package.json', { name: '@s/x', version: 5 });
    symlinkSync('/dev/zero', write('_npx/g/x', '').replace(/x$/, 'package.json'));
    assert.equal(await cachedPackage(one('npx', '@s/x'), env), undefined);
  });

  it("are those that a server's processes run from @localPackages.server-processes-run", async function () {
    if (process.platform === 'win32') this.skip();
    cached('run', '@s/x', '3.0.0');
    const program = write('_npx/run/node_modules/@s/x/main.js', 'console.log("up"); setInterval(() => {}, 1000)');
    mkdirSync(join(folder, '_npx/run/node_modules/.bin'));
    const link = join(folder, '_npx/run/node_modules/.bin/x');
    symlinkSync(program, link);
    write(
      'env/lib/python3.12/site-packages/Some_Server-1.4.dist-info/METADATA',
      'Name: x\nAuthor: Somebody\n\nAuthor: no',
    );
    const script = write('env/bin/some-server', 'console.log("up"); setInterval(() => {}, 1000)');
    for (const [path, wanted, found] of [
      [link, one('npx', '@s/x'), { version: '3.0.0' }],
      [program, one('npx', '@s/x'), { version: '3.0.0' }],
      [script, one('uvx', 'some-server'), { version: '1.4', publisher: 'Somebody' }],
      [script, one('uvx', 'other'), undefined],
      [script, one('npx', 'some-server'), undefined],
    ] as const) {
      const child = spawn(process.execPath, [path], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      try {
        await once(child.stdout, 'data');
        assert.deepEqual(await runningPackage(wanted, child.pid!), found, `${path} ${wanted.name}`);
      } finally {
        child.kill('SIGKILL');
      }
    }
    assert.equal(await runningPackage(one('npx', '@s/x'), 2 ** 30), undefined);
  });

  it("are looked up with the person's own npm and the entry's registry only, taking nothing but a version @localPackages.looked-person-npm", async function () {
    if (process.platform === 'win32') this.skip();
    const entryEnv = { NODE_OPTIONS: '--require ./evil.js', PATH: folder, npm_config_registry: 'http://localhost:1' };
    const asking = ({ PATH = join(folder, 'bin'), signal = new AbortController().signal } = {}) => {
      const { definition, ports } = itsServer;
      return { definition, ports: { ...ports, shellPath: async () => PATH }, cwd: folder, signal, entryEnv };
    };
    const answers = async (said: string, spec = 'x') => {
      // By a shell: the path of Node may have spaces.
      write('bin/npm', `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'npm.js')}' "$@"`);
      write('npm.js', `console.error(process.argv.slice(2).join(' '));process.stdout.write(${JSON.stringify(said)})`);
      const { chmodSync } = await import('node:fs');
      chmodSync(join(folder, 'bin/npm'), 0o755);
      return registryVersion(one('npx', spec), asking());
    };
    assert.equal(await answers('"1.2.3"'), '1.2.3');
    assert.equal(await answers('["1.0.0","1.1.0"]', 'x@^1'), '1.1.0');
    for (const odd of ['', 'no', '{}', '"latest"', '"1.2.3 && rm"', '[]', 'null'])
      assert.equal(await answers(odd), undefined, odd);
    await assert.rejects(registryVersion(one('npx', 'x'), asking({ signal: AbortSignal.abort() })), /abort/i);
    await assert.rejects(registryVersion(one('npx', 'x'), asking({ PATH: folder })), /npm was not found/);
    write(
      'npm.js',
      'const { npm_config_registry: at, NODE_OPTIONS: not } = process.env; console.log(JSON.stringify(at + not === "http://localhost:1undefined" ? "9.9.9" : not))',
    );
    // What the entry says is not allowed yet: only its registry counts.
    assert.equal(await registryVersion(one('npx', 'x'), asking()), '9.9.9');
    write('npm.js', 'console.error("E404 no such package");process.exit(1)');
    await assert.rejects(registryVersion(one('npx', 'x'), asking()), /E404 no such package/);
  });
});

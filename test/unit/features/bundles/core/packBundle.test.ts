import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { inspectBundle } from '../../../../../src/features/bundles/core/bundleFile';
import {
  authoredManifest,
  bundledFolder,
  filesToPack,
  packBundle,
} from '../../../../../src/features/bundles/core/packBundle';
import { temporaryFolder } from '../../../../setup/paths';

describe('a server that is saved as a bundle', () => {
  let folder: string;
  const { signal } = new AbortController();
  beforeEach(() => {
    folder = temporaryFolder();
    mkdirSync(join(folder, 'dist'));
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    for (const [name, text] of [
      ['package.json', '{"name":"@me/weather-mcp","version":"1.2.3","author":"Me <me@example.com>","license":"MIT"}'],
      ['dist/index.js', 'console.log(1)'],
      ['.env', 'TOKEN=secret'],
      ['.git-credentials', 'https://a:secret@b'],
      ['.mcp.json', '{}'],
      ['prod.env', 'TOKEN=secret'],
      ['variables.txt', 'TOKEN=secret'],
      ['.env.local', 'TOKEN=secret'],
      ['server.pem', 'secret'],
      ['old.mcpb', 'old'],
      ['node_modules/.bin/tool', ''],
    ] as const)
      writeFileSync(join(folder, name), text);
  });

  const program = (changes: object = {}) => ({
    ...{ command: 'node', args: [join(folder, 'dist/index.js'), '--key', '\0{input:api key}', '--all'] },
    env: { TOKEN: '\0{env:WEATHER_TOKEN}', CACHE: join(folder, 'dist'), REMOVED: null },
    cwd: undefined,
    ...changes,
  });

  it('has a manifest that runs it on another machine, with its inputs and variables as options', () => {
    const place = bundledFolder(program());
    assert.deepEqual(place, { folder, entryPoint: 'dist/index.js' });
    const project = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const inputs = [{ id: 'api key', description: 'Key of the service' }];
    assert.deepEqual(authoredManifest(program(), place, inputs, { name: 'weather', project }), {
      manifest_version: '0.3',
      name: 'weather-mcp',
      version: '1.2.3',
      description: 'weather',
      author: { name: 'Me' },
      license: 'MIT',
      server: {
        type: 'node',
        entry_point: 'dist/index.js',
        mcp_config: {
          command: 'node',
          args: ['${__dirname}/dist/index.js', '--key', '${user_config.api_key}', '--all'],
          env: { TOKEN: '${user_config.WEATHER_TOKEN}', CACHE: '${__dirname}/dist' },
        },
      },
      user_config: {
        api_key: {
          type: 'string',
          title: 'Key of the service',
          description: 'Key of the service',
          sensitive: true,
          required: true,
        },
        WEATHER_TOKEN: {
          type: 'string',
          title: 'WEATHER_TOKEN',
          description: 'WEATHER_TOKEN',
          sensitive: true,
          required: false,
        },
      },
    });
  });

  it('is found by a path relative to its folder, and as a program of its own', () => {
    const relative = { command: 'node', args: ['dist/index.js'], env: {}, cwd: folder };
    const { server } = authoredManifest(relative, bundledFolder(relative), [], { name: 'x', project: undefined }) as {
      server: { mcp_config: object };
    };
    assert.deepEqual(server.mcp_config, { command: 'node', args: ['${__dirname}/dist/index.js'], env: {} });
    const own = { command: join(folder, 'dist/index.js'), args: [], env: {} };
    const made = authoredManifest(own, bundledFolder(own), [], { name: 'x', project: undefined });
    assert.equal((made.server as { type: string }).type, 'binary');
  });

  it('is none when it runs a package, or nothing of a project', () => {
    assert.throws(
      () => bundledFolder(program({ command: 'npx', args: ['-y', 'weather-mcp'] })),
      /not run a file of a project/,
    );
    assert.throws(() => bundledFolder(program({ args: [join(folder, 'none.js')] })), /not run a file of a project/);
    rmSync(join(folder, 'package.json'));
    assert.throws(() => bundledFolder(program()), /no folder around it/);
  });

  it('has no secrets, links or earlier bundles in it', async () => {
    if (process.platform !== 'win32') symlinkSync('/etc/passwd', join(folder, 'link'));
    const names = (await filesToPack(folder, signal, join(folder, 'variables.txt'))).map(({ name }) => name);
    assert.deepEqual(names, ['dist/index.js', 'package.json']);
  });

  it('is one that the official tool takes, and so do we', async () => {
    const place = bundledFolder(program());
    const manifest = authoredManifest(program(), place, [], { name: 'weather', project: undefined });
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    assert.ok(validateManifest(join(folder, 'manifest.json')));
    const path = join(folder, 'new.mcpb');
    writeFileSync(path, 'an earlier one');
    const bytes = await packBundle(manifest, await filesToPack(folder, signal), path, signal);
    assert.equal(readFileSync(path).length, bytes);
    const output = join(folder, 'unpacked');
    assert.ok(await unpackExtension({ mcpbPath: path, outputDir: output, silent: true }));
    assert.equal(readFileSync(join(output, 'dist/index.js'), 'utf8'), 'console.log(1)');
    const bundle = await inspectBundle(path, { signal });
    assert.equal(bundle.manifest.name, 'weather');
    await bundle.file.close();
  });

  it('is not written when a file is gone by then, and the earlier one stays', async () => {
    const files = await filesToPack(folder, signal);
    rmSync(join(folder, 'dist'), { recursive: true });
    const path = join(folder, 'new.mcpb');
    writeFileSync(path, 'an earlier one');
    await assert.rejects(packBundle({}, files, path, signal), { code: 'ENOENT' });
    assert.equal(readFileSync(path, 'utf8'), 'an earlier one');
  });
});

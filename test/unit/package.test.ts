import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { inRepository } from '../setup/paths';

const KB = 1024;

describe('the package', () => {
  it('holds only what is needed to run, and what people read', async function () {
    this.timeout(60_000);
    const vsce = inRepository('node_modules', '@vscode', 'vsce', 'vsce');
    const { stdout } = await promisify(execFile)(process.execPath, [vsce, 'ls', '--no-dependencies'], {
      cwd: inRepository(),
    });
    const allowed =
      /^(dist\/[\w-]+\.js|media\/[\w./-]+|l10n\/bundle\.l10n\.[\w-]+\.json|package(\.nls(\.[\w-]+)?)?\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
    const files = stdout.trim().split(/\s+/);
    assert.deepEqual(
      files.filter(file => !allowed.test(file)),
      [],
    );
    for (const file of ['dist/extension.js', 'dist/host.js', 'dist/demo-server.js', 'README.md'])
      assert.ok(files.includes(file), file);
  });

  it('stays within its sizes: what activation loads, and what the first server needs', async () => {
    const { programs } = (await import(pathToFileURL(inRepository('esbuild.js')).href)) as {
      programs(production: boolean): BuildOptions[];
    };
    const builds = programs(true).map(options => build({ ...options, absWorkingDir: inRepository(), write: false }));
    const outputFiles = (await Promise.all(builds)).flatMap(({ outputFiles = [] }) => outputFiles);
    const size = (name: string) =>
      outputFiles.find(({ path }) => path.endsWith(name))?.contents.length ?? assert.fail(name);
    assert.ok(size('extension.js') <= 60 * KB, `extension.js has ${size('extension.js')} bytes`);
    const first = ['extension.js', 'servers.js', 'host.js'].reduce((sum, name) => sum + size(name), 0);
    assert.ok(first <= 620 * KB, `what the first server needs has ${first} bytes`);
    assert.ok(size('web.js') <= 1_200 * KB, `web.js has ${size('web.js')} bytes`);
    const [activation] = outputFiles.filter(({ path }) => path.endsWith('extension.js'));
    assert.ok(!/modelcontextprotocol|ZodError/.test(activation!.text), 'activation has the SDK or zod in it');
    // esbuild's copy of the editor's API for each file that imports it was half of what activation took.
    const copying = outputFiles.filter(({ text }) => /\w\(require\("vscode"\)/.test(text));
    assert.deepEqual(
      copying.map(({ path }) => path).filter(path => !path.endsWith('web.js')),
      [],
    );
  });

  it('has one file for web windows, which asks for nothing but the editor', async () => {
    const { programs } = (await import(pathToFileURL(inRepository('esbuild.js')).href)) as {
      programs(production: boolean): BuildOptions[];
    };
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<string, string>;
    const options = programs(true).find(({ platform }) => platform === 'browser') ?? assert.fail('no web build');
    const result = await build({ ...options, absWorkingDir: inRepository(), write: false });
    const [[file, output] = assert.fail('nothing was built'), ...others] = Object.entries(result.metafile!.outputs);
    assert.deepEqual(others, []);
    assert.equal(`./${file}`, manifest.browser);
    assert.deepEqual([...new Set(output.imports.map(({ path }) => path))], ['vscode']);
    // What a worker lacks would be found only when it is needed.
    const [code] = result.outputFiles ?? [];
    assert.deepEqual(code?.text.match(/\b(__dirname|__filename|NodeJS)\b|[^.\w]process\.\w+/g), null);
  });
});

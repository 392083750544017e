import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, type BuildResult, build, type OutputFile } from 'esbuild';
import { inRepository } from '../setup/paths';
import { expectedContents } from '../setup/releaseRules';

const KB = 1024;

/** The builds of what ships, minified, in memory. */
async function productionBuilds(): Promise<{ options: BuildOptions; result: BuildResult }[]> {
  const { programs } = (await import(pathToFileURL(inRepository('esbuild.js')).href)) as {
    programs(production: boolean): BuildOptions[];
  };
  const builds = programs(true).map(async options => ({
    options,
    result: await build({ ...options, absWorkingDir: inRepository(), write: false }),
  }));
  return Promise.all(builds);
}

describe('the package', () => {
  let builds: Awaited<ReturnType<typeof productionBuilds>>;
  let outputFiles: OutputFile[];

  before(async function () {
    this.timeout(60_000);
    builds = await productionBuilds();
    outputFiles = builds.flatMap(({ result }) => result.outputFiles ?? []);
  });

  it('holds only what is needed to run, and what people read', async function () {
    this.timeout(60_000);
    const vsce = inRepository('node_modules', '@vscode', 'vsce', 'vsce');
    const { stdout } = await promisify(execFile)(process.execPath, [vsce, 'ls', '--no-dependencies'], {
      cwd: inRepository(),
    });
    const allowed =
      /^(dist\/[\w-]+\.js|dist\/quickjs\.wasm|media\/[\w./-]+|l10n\/bundle\.l10n\.[\w-]+\.json|package(\.nls(\.[\w-]+)?)?\.json|README\.md|CHANGELOG\.md|LICENSE|ThirdPartyNotices\.txt)$/;
    const files = stdout.trim().split(/\s+/);
    assert.deepEqual(
      files.filter(file => !allowed.test(file)),
      [],
    );
    for (const file of ['dist/extension.js', 'dist/host.js', 'dist/demo-server.js', 'README.md'])
      assert.ok(files.includes(file), file);
    // What is new here is new on every machine: it is to be named in the list.
    assert.deepEqual(files.sort(), expectedContents().sort(), 'test/setup/vsixContents.txt');
  });

  it('stays within its sizes: what activation loads, and what the first server needs', () => {
    const size = (name: string) =>
      outputFiles.find(({ path }) => path.endsWith(name))?.contents.length ?? assert.fail(name);
    assert.ok(size('extension.js') <= 60 * KB, `extension.js has ${size('extension.js')} bytes`);
    const first = ['extension.js', 'servers.js', 'host.js'].reduce((sum, name) => sum + size(name), 0);
    assert.ok(first <= 634 * KB, `what the first server needs has ${first} bytes`);
    assert.ok(size('web.js') <= 1_377 * KB, `web.js has ${size('web.js')} bytes`);
    const [activation] = outputFiles.filter(({ path }) => path.endsWith('extension.js'));
    assert.ok(!/modelcontextprotocol|ZodError/.test(activation!.text), 'activation has the SDK or zod in it');
    // esbuild's copy of the editor's API for each file that imports it was half of what activation took.
    const copying = outputFiles.filter(({ text }) => /\w\(require\("vscode"\)/.test(text));
    assert.deepEqual(
      copying.map(({ path }) => path).filter(path => !path.endsWith('web.js')),
      [],
    );
  });

  it('has one file for web windows, which asks for nothing but the editor', () => {
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<string, string>;
    const { result } = builds.find(({ options }) => options.platform === 'browser') ?? assert.fail('no web build');
    const [[file, output] = assert.fail('nothing was built'), ...others] = Object.entries(result.metafile!.outputs);
    assert.deepEqual(others, []);
    assert.equal(`./${file}`, manifest.browser);
    assert.deepEqual([...new Set(output.imports.map(({ path }) => path))], ['vscode']);
    // What a worker lacks would be found only when it is needed.
    const [code] = result.outputFiles ?? [];
    assert.deepEqual(code?.text.match(/\b(__dirname|__filename|NodeJS)\b|[^.\w]process\.\w+/g), null);
  });

  it('names every package whose code is in it, with the whole text of its licence', () => {
    const text = readFileSync(inRepository('ThirdPartyNotices.txt'), 'utf8');
    const outputs = builds.flatMap(({ result }) => Object.values(result.metafile!.outputs));
    const used = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter(file => inputs[file]!.bytesInOutput > 0));
    const folders = new Set(used.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []));
    assert.ok(folders.size > 10, `${folders.size} packages`);
    for (const folder of folders) {
      const { name, version, license } = JSON.parse(readFileSync(inRepository(folder, 'package.json'), 'utf8')) as {
        [key: string]: string;
      };
      assert.match(license!, /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD)$/, name);
      assert.ok(text.includes(`\n${name} ${version} (${license})`), `${name} ${version} is not named`);
      const file = ['LICENSE', 'LICENSE.md', 'license'].map(file => inRepository(folder, file)).find(existsSync);
      const licence = readFileSync(file ?? assert.fail(`${name} has no licence`), 'utf8').replaceAll('\r\n', '\n');
      assert.ok(text.includes(licence.trim()), `${name}: the text is not whole`);
    }
    // Copied into the SDK by its bundler.
    for (const copied of ['@cfworker/json-schema 4.', 'content-type 1.'])
      assert.ok(text.includes(`\n${copied}`), copied);
    assert.match(text, /Copyright \(c\) 2020 Jeremy Danyow/);
  });
});

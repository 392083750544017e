import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, posix } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { inRepository } from '../setup/paths';
import { loadedWith } from '../setup/programs';

const KB = 1024;

/** A row of the table of programs that share their modules. */
interface Program {
  readonly program: string;
  /** Below src, without extension. */
  readonly module: string;
  readonly after?: string;
  /** It runs when it is loaded. */
  readonly isStarted?: boolean;
}

const { programs, shared } = createRequire(__filename)(inRepository('esbuild.js')) as {
  programs(production: boolean, table?: readonly Program[]): BuildOptions[];
  shared: readonly Program[];
};

/** What the first of the builds makes: all programs that share their modules. */
const buildShared = (table: readonly Program[]) =>
  build({ ...programs(false, table)[0], absWorkingDir: inRepository(), logLevel: 'silent' });

describe('the package', () => {
  /** Every file that is built, minified, by its name. */
  const files = new Map<string, { readonly text: string; readonly bytes: number }>();
  let outputs: Metafile['outputs'];

  before(async function () {
    this.timeout(60_000);
    const builds = programs(true).map(options => build({ ...options, absWorkingDir: inRepository() }));
    const results = await Promise.all(builds);
    for (const { outputFiles = [] } of results)
      for (const { path, text, contents } of outputFiles) files.set(basename(path), { text, bytes: contents.length });
    outputs = Object.assign({}, ...results.map(({ metafile }) => metafile!.outputs));
  });

  const bytesOf = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + files.get(name)!.bytes, 0);

  it('stays within its budgets: what activation loads, and what the first stdio server needs', () => {
    const activation = loadedWith('extension.js', outputs);
    assert.ok(bytesOf(activation) <= 50 * KB, `what activation loads has ${bytesOf(activation)} bytes`);
    const first = new Set([...activation, ...loadedWith('servers.js', outputs), ...loadedWith('client.js', outputs)]);
    assert.ok(bytesOf(first) <= 800 * KB, `what the first server needs has ${bytesOf(first)} bytes`);
    assert.ok(bytesOf(['web.js']) <= 1_588 * KB, `web.js has ${bytesOf(['web.js'])} bytes`);
    const demo = bytesOf(loadedWith('demo-server.js', outputs));
    assert.ok(demo <= 400 * KB, `what the demo server needs has ${demo} bytes`);
    assert.doesNotMatch(files.get('demo-server.js')!.text, /devDependencies/);
    for (const name of activation)
      assert.doesNotMatch(
        files.get(name)!.text,
        /modelcontextprotocol|ZodError/,
        'activation has the SDK or zod in it',
      );
    // esbuild's copy of the editor's API for each file that imports it was half of what activation took.
    const copying = [...files].filter(([name, { text }]) => name !== 'web.js' && /\w\(require\("vscode"\)/.test(text));
    assert.deepEqual(
      copying.map(([name]) => name),
      [],
    );
  });

  it('starts a program before what speaks to it is loaded', () => {
    const first = [...loadedWith('extension.js', outputs), ...loadedWith('servers.js', outputs)];
    const inputs = first.flatMap(name => Object.entries(outputs[`dist/${name}`]!.inputs));
    const sdk = inputs.filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && file.includes('/client/dist/src-'));
    assert.deepEqual(sdk, []);
    const later = loadedWith('client.js', outputs).flatMap(name => Object.keys(outputs[`dist/${name}`]!.inputs));
    assert.ok(later.some(file => file.includes('/client/dist/src-')));
  });

  it('contains each module once, except for stand-alone programs', () => {
    const alone = new Set(
      [
        'app-view.js gallery-view.js health-view.js review-view.js tool-view.js trace-view.js', // pages
        'web.js bridge.js picture-worker.js sandbox-bridge.js script-worker.js telemetry.js',
      ].flatMap(names => names.split(' ')),
    );
    const places = new Map<string, string[]>();
    for (const [output, { inputs }] of Object.entries(outputs)) {
      if (alone.delete(posix.basename(output))) continue;
      for (const [input, { bytesInOutput }] of Object.entries(inputs))
        if (bytesInOutput > 0) places.set(input, [...(places.get(input) ?? []), output]);
    }
    assert.deepEqual([...alone], [], 'an exception that there is no longer');
    assert.ok(places.size > 400, `${places.size} modules`);
    assert.deepEqual(
      [...places].filter(([, all]) => all.length > 1),
      [],
    );
  });

  it('has a program for each door in the sources, with all exports of the module behind it', async () => {
    const sources = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
      .map(file => file.replaceAll('\\', '/'))
      .filter(file => file.endsWith('.ts'));
    const opened = sources.flatMap(file => {
      const text = readFileSync(inRepository('src', file), 'utf8');
      const found = text.matchAll(/require\('(\.[^']+)'\) as typeof import\('([^']+)'\)/g);
      return [...found].map(([, required = '', promised]) => {
        assert.equal(promised, required, `${file} promises another module than it requires`);
        return posix.join(posix.dirname(file), required);
      });
    });
    const doors = shared.filter(({ program, isStarted }) => !isStarted && !['extension', 'host'].includes(program));
    assert.deepEqual([...new Set(opened)].sort(), doors.map(({ module }) => module).sort());
    assert.ok(doors.length <= 13, `${doors.length} doors`);
    const { metafile } = await build({
      ...programs(true).at(0),
      entryPoints: doors.map(({ program, module }) => ({ in: `src/${module}.ts`, out: program })),
      absWorkingDir: inRepository(),
      plugins: [],
      packages: 'external',
    });
    for (const { program } of doors) {
      const [made, promised] = [outputs, metafile!.outputs].map(all => all[`dist/${program}.js`]!.exports.toSorted());
      assert.deepEqual(made, promised, program);
    }
  });

  it('is not built with two programs of one name, a dangling door, or a door missing in the table', async () => {
    const doubled = [...shared, { program: 'sandbox', module: 'host/sdk/onDemand' }];
    assert.throws(() => programs(true, doubled), /two programs are called "sandbox"/);
    await assert.rejects(buildShared([...shared, { program: 'new', module: 'nowhere' }]), /no module src\/nowhere/);
    const less = shared.filter(({ program }) => program !== 'remote');
    await assert.rejects(
      buildShared(less),
      /src\/host\/connection\/remote is no door: it is not in the table of esbuild\.js/,
    );
  });

  it('has one file for web windows, which requires only the editor', () => {
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<string, string>;
    assert.equal(manifest.browser, './dist/web.js');
    assert.deepEqual([...new Set(outputs['dist/web.js']!.imports.map(({ path }) => path))], ['vscode']);
    // What a worker lacks would be found only when it is needed.
    const { text } = files.get('web.js')!;
    assert.deepEqual(text.match(/\b(__dirname|__filename|NodeJS)\b|[^.\w]process\.\w+/g), null);
  });

  it('names every bundled package, with the full text of its licence', () => {
    const text = readFileSync(inRepository('ThirdPartyNotices.txt'), 'utf8');
    const used = Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter(file => inputs[file]!.bytesInOutput > 0),
    );
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

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { bundleEntry } from '../../../../../src/features/bundles/core/bundleEntry';
import { type InspectedBundle, inspectBundle } from '../../../../../src/features/bundles/core/bundleFile';
import { BundleStore } from '../../../../../src/features/bundles/core/bundleStore';
import { findProgram } from '../../../../../src/host/launch';
import type { AppExample, NpmServer } from '../../../../servers/npm';
import { inRepository, temporaryFolder } from '../../../../setup/paths';
import { TestHost } from '../../../host/testHost';
import { officialBundle, officialBundleOf } from './officialBundle';

describe('bundles that the official tool has packed', function () {
  this.timeout(60_000);
  const { signal } = new AbortController();
  let folder: string;
  let host: TestHost;
  let store: BundleStore;
  beforeEach(() => {
    folder = temporaryFolder();
    store = new BundleStore(join(folder, 'bundles'));
    host = new TestHost();
  });
  afterEach(async () => {
    await host.close();
  });

  const pack = (name: NpmServer, options?: Parameters<typeof officialBundle>[2]) => {
    mkdirSync(join(folder, name), { recursive: true });
    return officialBundle(name, join(folder, name), options);
  };
  const opened = async <T>(path: string, use: (bundle: InspectedBundle) => T | Promise<T>): Promise<T> => {
    const bundle = await inspectBundle(path, { signal });
    try {
      return await use(bundle);
    } finally {
      await bundle.file.close();
    }
  };
  const install = (path: string, values: Record<string, unknown> = {}) =>
    opened(path, async bundle => {
      const at = await store.add(bundle, signal);
      const machine = { platform: process.platform, home: homedir(), hasProgram };
      const made = bundleEntry(bundle.manifest, { folder: at, values, inputIdOf: key => key }, machine);
      const isNode = bundle.manifest.type === 'node';
      return { ...made, entry: { ...made.entry, ...(isNode && { command: process.execPath }) }, at };
    });
  const hasProgram = (name: string) => findProgram(name, process.env, []) !== undefined;
  const toolsOf = async (entry: object) => {
    host.configure({ one: entry });
    const { catalog } = await host.loads('one');
    return catalog.list('tools').items.map(({ name }) => name);
  };

  it('run with the values of their options: server-filesystem', async () => {
    const { entry } = await install(await pack('filesystem'), { folders: [folder, '${HOME}'] });
    assert.deepEqual(entry.args.slice(1), [folder, homedir()]);
    assert.ok((await toolsOf(entry)).includes('list_directory'));
  });

  it('run with all their packages, thousands of files: server-memory', async () => {
    const path = await pack('memory', { withPackages: true });
    const { entry, at } = await install(path, { file: join(folder, 'memory.json') });
    assert.ok((await opened(path, ({ file }) => file.entries.length)) > 1_000);
    assert.ok((await toolsOf(entry)).includes('read_graph'));
    assert.match(basename(at), /^sample-memory-1\.0\.0-/);
  });

  it('run without options that may be left out: server-everything', async () => {
    const { entry, inputs } = await install(await pack('everything'), { greeting: 'Hi' });
    assert.deepEqual([entry.env, inputs], [{ GREETING: 'Hi' }, []]);
    assert.ok((await toolsOf(entry)).includes('echo'));
  });

  it('run with a boolean as a variable: server-sequential-thinking', async () => {
    const { entry } = await install(await pack('sequential-thinking'), { quiet: true });
    assert.deepEqual(entry.env, { DISABLE_THOUGHT_LOGGING: 'true' });
    assert.deepEqual(await toolsOf(entry), ['sequentialthinking']);
  });

  const apps: Record<AppExample, string> = {
    'basic-react': 'get-time',
    'basic-vanillajs': 'get-time',
    'budget-allocator': 'get-budget-data',
    'cohort-heatmap': 'get-cohort-data',
    'customer-segmentation': 'get-customer-data',
    'scenario-modeler': 'get-scenario-data',
  };
  for (const [name, tool] of Object.entries(apps) as [AppExample, string][]) {
    it(`run with the files beside their script: server-${name}`, async () => {
      const { entry } = await install(await pack(name));
      assert.ok((await toolsOf(entry)).includes(tool));
    });
  }

  it('run with the Python of this machine', async function () {
    if (!hasProgram('python3') && !hasProgram('python')) this.skip();
    const { entry } = await install(await officialBundleOf('python', join(folder, 'python')), { greeting: 'Good day' });
    assert.match(entry.command, /^python3?$/);
    assert.deepEqual([entry.env, await toolsOf(entry)], [{ GREETING: 'Good day' }, ['greet']]);
  });

  it('run as a program of their own', async function () {
    if (process.platform === 'win32' || !hasProgram('cc')) this.skip();
    const { entry, at } = await install(await officialBundleOf('binary', join(folder, 'binary')));
    assert.deepEqual([entry.command, entry.args], [join(at, 'server/server'), []]);
    assert.deepEqual(await toolsOf(entry), ['greet']);
  });

  it('show who has signed them, and are refused if they were changed since @officialBundles.show-signed-refused', async () => {
    const path = await pack('everything');
    const cli = inRepository('node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
    execFileSync(process.execPath, [cli, 'sign', path, '--self-signed'], { cwd: folder, stdio: 'ignore' });
    const state = await opened(path, ({ file }) => file.signature);
    assert.equal(state.kind, 'signed');
    assert.ok(state.kind === 'signed' && state.publisher !== '' && state.publisher === state.issuer);
    const { entry } = await install(path);
    assert.ok((await toolsOf(entry)).includes('echo'));

    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(join(folder, 'changed.mcpb'), bytes);
    await assert.rejects(inspectBundle(join(folder, 'changed.mcpb'), { signal }), { code: 'CHANGED' });
    // What follows a signature belongs to nobody.
    appendFileSync(path, 'more');
    await assert.rejects(inspectBundle(path, { signal }), { code: 'BROKEN' });
  });
});

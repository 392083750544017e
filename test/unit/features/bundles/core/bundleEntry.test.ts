import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BundleMachine,
  bundleEntry,
  configForm,
  KEPT,
} from '../../../../../src/features/bundles/core/bundleEntry';
import { bundleOf } from '../../../../../src/features/bundles/core/bundleFolders';
import { readManifest } from '../../../../../src/features/bundles/core/manifest';
import { temporaryFolder } from '../../../../setup/paths';
import { manifestWith } from './zipBytes';

describe('the entry of a bundle', () => {
  let folder: string;
  before(() => {
    folder = join(temporaryFolder(), 'sample-1');
    mkdirSync(join(folder, 'server'), { recursive: true });
    for (const name of ['index.js', 'tool', 'config.json']) writeFileSync(join(folder, 'server', name), '');
  });
  after(() => rmSync(join(folder, '..'), { recursive: true }));

  const machine: BundleMachine = { platform: 'linux', home: '/home/me', hasProgram: () => true };
  const made = (
    server: object,
    {
      config,
      values = {},
      on = machine,
    }: { config?: object; values?: Record<string, unknown>; on?: BundleMachine } = {},
  ) => {
    const base = { type: 'node', entry_point: 'server/index.js' };
    const text = JSON.stringify(manifestWith({ server: { ...base, ...server }, user_config: config }));
    const manifest = readManifest(text, on.platform);
    return bundleEntry(manifest, { folder, values, inputIdOf: key => `sample-${key}` }, on);
  };
  const run = (mcp_config: object, more: Parameters<typeof made>[1] = {}) => made({ mcp_config }, more).entry;

  it('has so much of its options only, however many words name one with many values', () => {
    const config = { all: { type: 'string', title: 'All', multiple: true } };
    const values = { all: Array.from({ length: 10_000 }, () => 'value') };
    const word = '${user_config.all}';
    assert.equal(run({ command: 'node', args: [word] }, { config, values }).args.length, 10_000);
    const many = [Array.from({ length: 500 }, () => word), [word.repeat(500)]];
    for (const args of many) assert.throws(() => run({ command: 'node', args }, { config, values }), /mcp_config/);
  });

  it('has the variables of the manifest filled in, and no others', () => {
    const args = [
      '${__dirname}/server/index.js',
      '${HOME}',
      '${DOCUMENTS}${/}a',
      '${DOWNLOADS}',
      '${DESKTOP}',
      '${PORT}',
      '$${x}',
    ];
    assert.deepEqual(run({ command: 'node', args, env: { A: '${HOME}${pathSeparator}a' } }), {
      command: 'node',
      args: [
        `${folder}/server/index.js`,
        '/home/me',
        '/home/me/Documents/a',
        '/home/me/Downloads',
        '/home/me/Desktop',
        '$${PORT}',
        '$$${x}',
      ],
      env: { A: '/home/me/a' },
    });
  });

  it('has what the manifest says for this system', () => {
    const config = {
      command: 'a',
      args: ['1'],
      env: { A: '1' },
      platform_overrides: { win32: { command: 'b' }, darwin: { args: ['2'], env: { B: '2' } } },
    };
    const on = (platform: NodeJS.Platform) => run(config, { on: { ...machine, platform } });
    assert.deepEqual(on('linux'), { command: 'a', args: ['1'], env: { A: '1' } });
    assert.deepEqual(on('win32'), { command: 'b', args: ['1'], env: { A: '1' } });
    assert.deepEqual(on('darwin'), { command: 'a', args: ['2'], env: { B: '2' } });
  });

  it('names files of the bundle by their whole path, as it runs elsewhere', () => {
    assert.deepEqual(
      run({ command: 'server/tool', args: ['--config', 'server/config.json', 'server/none.json', 'a/b'] }),
      {
        command: join(folder, 'server/tool'),
        args: ['--config', join(folder, 'server/config.json'), 'server/none.json', 'a/b'],
      },
    );
  });

  it('has the values of options: several become several arguments', () => {
    const config = {
      folders: { type: 'directory', title: 'Folders', multiple: true },
      limit: { type: 'number', title: 'Limit' },
      safe: { type: 'boolean', title: 'Safe' },
    };
    const values = { folders: ['/a b', '${HOME}/c'], limit: 5, safe: false };
    const args = ['${user_config.folders}', '--limit=${user_config.limit}'];
    const env = { SAFE: '${user_config.safe}', ALL: '${user_config.folders}' };
    assert.deepEqual(run({ command: 'node', args, env }, { config, values }), {
      command: 'node',
      args: ['/a b', '/home/me/c', '--limit=5'],
      env: { SAFE: 'false', ALL: '/a b,/home/me/c' },
    });
  });

  it('leaves out what an option without a value is for', () => {
    const config = { file: { type: 'file', title: 'File' }, key: { type: 'string', title: 'Key', sensitive: true } };
    const args = ['run', '--file', '${user_config.file}', '--key=${user_config.key}', 'last', '${user_config.file}'];
    const { entry, inputs } = made(
      { mcp_config: { command: 'node', args, env: { KEY: '${user_config.key}' } } },
      { config },
    );
    assert.deepEqual(entry, { command: 'node', args: ['run', '--key', 'last'].filter(word => word !== '--key') });
    assert.deepEqual(inputs, []);
  });

  it('has a secret as an input, whatever its value looks like', () => {
    const config = { key: { type: 'string', title: 'API key', description: 'Of the service', sensitive: true } };
    const server = { mcp_config: { command: 'node', env: { KEY: 'Bearer ${user_config.key}' } } };
    const { entry, inputs, secrets } = made(server, { config, values: { key: '${HOME}' } });
    assert.deepEqual(entry.env, { KEY: 'Bearer ${input:sample-key}' });
    assert.deepEqual(inputs, [
      { type: 'promptString', id: 'sample-key', description: 'API key: Of the service', password: true },
    ]);
    assert.deepEqual([...secrets], [['sample-key', '${HOME}']]);
    const kept = made(server, { config, values: { key: KEPT } });
    assert.deepEqual([kept.entry.env, kept.secrets.size], [entry.env, 0]);
  });

  it('takes no reference to an input or variable from a manifest or a value @bundleEntry.takes-reference-input', () => {
    const config = { text: { type: 'string', title: 'Text' } };
    const args = ['${input:other}', '\0{input:other}', '${user_config.text}', '$\0{env:HOME}'];
    const { entry } = made(
      { mcp_config: { command: 'node', args } },
      { config, values: { text: '${env:SECRET}\0{input:x}' } },
    );
    for (const text of entry.args) assert.doesNotMatch(text.replaceAll('$$', ''), /\$\{|\0/);
  });

  it('fails for an option that the manifest does not have', () => {
    assert.throws(() => run({ command: 'node', args: ['${user_config.none}'] }), { code: 'MANIFEST' });
    const config = { program: { type: 'file', title: 'Program' } };
    assert.throws(() => run({ command: '${user_config.program}' }, { config }), /depends on an option/);
  });

  it("runs with the editor's own Node where there is none", () => {
    const on = { ...machine, hasProgram: () => false };
    assert.deepEqual(run({ command: 'node', args: ['a'] }, { on }), {
      command: '${execPath}',
      args: ['a'],
      env: { ELECTRON_RUN_AS_NODE: '1' },
    });
  });

  it('runs with the Python that is there, and by uv as the host wants', () => {
    const only = (there: string): BundleMachine => ({ ...machine, hasProgram: name => name === there });
    const python = { type: 'python', mcp_config: { command: 'python', args: ['${__dirname}/server/index.js'] } };
    assert.equal(made(python, { on: only('python3') }).entry.command, 'python3');
    assert.equal(made(python, { on: only('python') }).entry.command, 'python');
    assert.equal(made(python, { on: only('none') }).entry.command, 'python');
    assert.deepEqual(made({ type: 'uv' }).entry, {
      command: 'uv',
      args: ['run', '--directory', folder, join(folder, 'server/index.js')],
    });
  });

  it('is found again by its folder', () => {
    const { entry } = made({ mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'] } });
    assert.equal(bundleOf(entry, join(folder, '..')), 'sample-1');
    for (const other of [
      undefined,
      {},
      { command: 'node', args: ['/elsewhere/sample-1/x'] },
      { args: [`${join(folder, '..')}/../x`] },
    ])
      assert.equal(bundleOf(other, join(folder, '..')), undefined);
  });

  describe('is asked for in a form', () => {
    const options = (config: object) => readManifest(JSON.stringify(manifestWith({ user_config: config }))).options;
    const folders = { HOME: '/home/me' };

    it('with the kinds, bounds and defaults of its options', () => {
      const form = configForm(
        options({
          dirs: {
            type: 'directory',
            title: 'Folders',
            description: 'To read',
            multiple: true,
            required: true,
            default: ['${HOME}/a'],
          },
          file: { type: 'file', title: 'File' },
          limit: { type: 'number', title: 'Limit', min: 1, max: 9, default: 5 },
          safe: { type: 'boolean', title: 'Safe', default: 'yes' },
          key: { type: 'string', title: 'Key', sensitive: true, required: true, default: 'never' },
        }),
        { folders, kept: new Set() },
      );
      assert.deepEqual(form, {
        schema: {
          type: 'object',
          properties: {
            dirs: { title: 'Folders', description: 'To read', type: 'array', items: { type: 'string' }, minItems: 1 },
            file: { title: 'File', type: 'string' },
            limit: { title: 'Limit', type: 'number', minimum: 1, maximum: 9 },
            safe: { title: 'Safe', type: 'boolean' },
            key: { title: 'Key', type: 'string', minLength: 1 },
          },
          required: ['dirs', 'key'],
        },
        initial: { dirs: ['/home/me/a'], limit: 5 },
        secrets: ['key'],
        paths: { dirs: 'directory', file: 'file' },
      });
    });

    it('with the values of the earlier version where they still fit, and secrets that are kept', () => {
      const config = {
        limit: { type: 'number', title: 'L' },
        name: { type: 'string', title: 'N' },
        key: { type: 'string', title: 'K', sensitive: true, required: true },
      };
      const earlier = { limit: 'many', name: 'x', key: 'y', gone: 1 };
      const { initial, schema } = configForm(options(config), { folders, earlier, kept: new Set(['key']) });
      assert.deepEqual(initial, { name: 'x' });
      assert.equal(schema.required, undefined);
    });
  });
});

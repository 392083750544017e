import * as assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { Configuration } from '../../src/features/settings/configuration';
import { SettingsFiles } from '../../src/features/settings/settingsFiles';
import { secretsToInputs } from '../../src/features/setup/core/missingValues';
import { placementOf, planAddition, type ServerDraft } from '../../src/features/setup/core/serverDraft';
import { SettingsWriter, type TargetScope } from '../../src/features/setup/settingsWriter';
import { tryServers } from '../../src/features/setup/tryServer';
import { resolveDefinitions } from '../../src/host';
import type { SandboxSetting } from '../../src/host/settings';
import { npmServerPath } from '../servers/npm';
import { startHttpFixture, waitFor } from '../servers/spawn';
import { freely } from '../setup/freely';
import { programPorts } from '../setup/itsServer';
import { whyNot } from '../unit/host/sandbox/confined';
import { api, closeEditors, configure, fixture, loads, raw, reaches, run, setting } from './window';

/** Late, as it loads the SDK: see activation.test.ts. */
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');
const read = async (uri: vscode.Uri) => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));

/** Makes the settings of the workspace this text. By the editor: a file that is replaced below it can't be changed any more. */
async function write(text: string): Promise<void> {
  const isThere = await read(settingsFile()).catch(() => undefined);
  if (isThere === undefined) await configure({}, vscode.ConfigurationTarget.Workspace);
  const document = await vscode.workspace.openTextDocument(settingsFile());
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
}

/** A server that tells its environment, with a secret in it. */
const telling = () => {
  const server = run(npmServerPath('everything'), 'stdio');
  return { ...server, env: { ...server.env, API_TOKEN: SECRET } };
};

describe('adding servers to settings', () => {
  let writer: SettingsWriter;
  let configuration: Configuration;
  before(async () => {
    const { trust } = await api();
    configuration = new Configuration(join(tmpdir(), 'folders'));
    writer = new SettingsWriter(configuration, new SettingsFiles(vscode.Uri.file('/nowhere')), trust);
  });
  after(() => configuration.dispose());
  afterEach(async () => {
    for (const target of [vscode.ConfigurationTarget.Global, vscode.ConfigurationTarget.Workspace]) {
      await configure(undefined, target);
      await setting('inputs', undefined, target);
    }
    await closeEditors();
  });

  const draft = (name: string, entry: object): ServerDraft =>
    secretsToInputs({ name, entry: entry as ServerDraft['entry'], inputs: [], values: new Map(), notes: [] });
  const add = (scope: TargetScope, ...drafts: ServerDraft[]) => {
    const addition = planAddition(drafts, writer.existing(scope));
    return writer.write(scope, addition, writer.reviewOf(scope, addition));
  };
  const seen = (name: string) =>
    waitFor(() => Object.hasOwn(writer.existing('workspace').servers, name), { what: `the settings to have ${name}` });

  it('of the workspace keeps comments and starts them, as adding them is consent', async () => {
    const text = `{
    // mine
    "files.exclude": { "x": true }, // keep
    "mcpHost.servers": {
        /* the first */
        "first": { "command": "no-such-program", "start": "never" }, // one line
    },
}
`;
    await write(text);
    await seen('first');
    await add('workspace', draft('telling', telling()));
    const server = await loads('telling');
    const written = await read(settingsFile());
    for (const comment of ['// mine', '{ "x": true }, // keep', '/* the first */', '"start": "never" }, // one line'])
      assert.ok(written.includes(comment), `${comment} in\n${written}`);
    assert.ok(!written.includes(SECRET), 'the secret is in the file');
    const tool = server.catalog.tools.find(({ name }) => name === 'get-env')!;
    const { content } = await raw(server).callTool(tool, {});
    // Its value came from the secret storage; what the host shows of it is masked, so only that it is there counts.
    assert.match((content[0] as { text: string }).text, /"API_TOKEN": "(?!\$)/);
    assert.equal((await reaches('first', 'stopped')).state.kind, 'stopped');
  });

  it('creates a missing settings file', async () => {
    await add('workspace', draft('made', fixture('hostile')));
    await reaches('made', 'ready');
    assert.ok((await read(settingsFile())).includes('"made"'));
  });

  it('of the user keeps the other entries', async () => {
    await configure({ first: { command: 'no-such-program', start: 'never' } });
    await reaches('first', 'stopped');
    await add('user', draft('second', fixture('hostile')));
    await reaches('second', 'ready');
    assert.deepEqual(Object.keys(writer.existing('user').servers), ['first', 'second']);
  });

  it('recognizes an existing server by the value of its secret', async () => {
    const of = (value: string) => draft('kept', { command: 'no-such-program', start: 'never', env: { TOKEN: value } });
    await add('workspace', of(SECRET));
    await seen('kept');
    const existing = await writer.existingWithValues('workspace');
    assert.deepEqual(placementOf(of(SECRET), existing), { kind: 'there', name: 'kept' });
    assert.deepEqual(placementOf(of(`${SECRET}9`), existing), { kind: 'renamed', name: 'kept-2' });
  });

  it('changes nothing when the file is broken @setup.changes-file-broken', async () => {
    await write('{ "mcpHost.servers": { "first": { "command": "x", "start": "never" } }, oops }');
    await seen('first');
    const { inputs } = (await api()).trust();
    const before = inputs.saved.length;
    await assert.rejects(add('workspace', draft('unwanted', telling())), /has errors\. Correct them/);
    assert.equal(inputs.saved.length, before);
    const broken = await read(settingsFile());
    await write('{}');
    assert.ok(!broken.includes('unwanted'));
  });

  it('changes and keeps nothing while the file has unsaved changes, which stay unsaved', async () => {
    await write('{}');
    const document = await vscode.workspace.openTextDocument(settingsFile());
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// unsaved\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { consents, inputs } = (await api()).trust();
    const before = [inputs.saved.length, consents.all.length];
    await assert.rejects(add('workspace', draft('unwanted', telling())), /has unsaved changes\. Save or revert them/);
    assert.ok(document.isDirty && !document.getText().includes('unwanted'));
    assert.deepEqual([inputs.saved.length, consents.all.length], before);
    await document.save();
  });
});

describe('the trial of a server', () => {
  const trial = async (
    entry: object,
    values = new Map<string, string>(),
    inputs: unknown[] = [],
    setting: SandboxSetting = 'off',
  ) => {
    const sandbox = { ...freely.sandbox, setting: () => setting };
    const ports = { ...programPorts, shellPath: async () => process.env.PATH, sandbox };
    const [definition] = resolveDefinitions([
      new Configuration(join(tmpdir(), 'folders')).as('user', { tried: entry }, inputs),
    ]).definitions;
    const trials = await tryServers([definition!], values, ports, '1.0.0');
    return trials?.[0] ?? assert.fail('it was cancelled');
  };

  it('reports what a server has, and leaves no process', async () => {
    const found = await trial(run(npmServerPath('everything'), 'stdio'));
    assert.equal(found.kind, 'ready');
    assert.ok(found.kind === 'ready' && found.tools > 10 && found.prompts > 2, JSON.stringify(found));
  });

  it('reports why one does not start, with its last output', async () => {
    const found = await trial(fixture('hostile', '--exit-at-start=3'));
    assert.ok(found.kind === 'failed', JSON.stringify(found));
    assert.match(found.error.message, /exited with code 3/);
    assert.match(found.error.stderrTail.join('\n'), /missing API_KEY/);
  });

  it('fills in inputs, and shows their values nowhere @setup.fills-inputs-shows', async () => {
    const inputs = [{ type: 'promptString', id: 'code', password: true }];
    const entry = fixture('hostile', '--exit-at-start=${input:code}');
    const found = await trial(entry, new Map([['code', '7']]), inputs);
    assert.ok(found.kind === 'failed' && /code 7/.test(found.error.message), JSON.stringify(found));
  });

  it('confines a server that the setting selects, as it will later @setup.confines-server-setting', async function () {
    if ((await whyNot()) !== undefined) this.skip();
    const wish = join(mkdtempSync('/var/tmp/mcp-host-trial-'), 'wish');
    const entry = fixture('hostile', `--writes=${wish}`);
    try {
      assert.equal((await trial(entry, new Map(), [], 'all')).kind, 'ready');
      assert.ok(!existsSync(wish));
      assert.equal((await trial(entry)).kind, 'ready');
      assert.ok(existsSync(wish));
    } finally {
      rmSync(dirname(wish), { recursive: true });
    }
  });

  it('ends when the program is missing or no MCP server', async () => {
    const missing = await trial({ command: 'no-such-command-anywhere' });
    assert.ok(missing.kind === 'failed' && /command not found/.test(missing.error.message));
    const silent = await trial({ ...fixture('hostile', '--silent'), timeouts: { startMs: 1_000 } });
    assert.ok(silent.kind === 'failed' && /no answer within 1 s/.test(silent.error.message));
  });

  it('over HTTP distinguishes a missing sign-in from other faults', async () => {
    const http = await startHttpFixture();
    try {
      const found = await trial({ url: http.url('/mcp') });
      assert.equal(found.kind, 'ready', JSON.stringify(found));
      assert.equal((await trial({ url: http.url('/401') })).kind, 'needsAuth');
      assert.equal((await trial({ url: http.url('/404') })).kind, 'failed');
    } finally {
      await http.stop();
    }
  });
});

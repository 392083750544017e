import * as assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { askInput } from '../../src/features/trust/inputQuestions';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import {
  allow,
  api,
  CODE,
  closeEditors,
  configure,
  eventually,
  fixture,
  loads,
  logged,
  problemsIn,
  quickFixesAt,
  raw,
  reaches,
  run,
  setting,
  watches,
} from './window';

const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');

/** Random for each run, so that what is found later was written by it. */
const secret = (name: string) => `${name}-${Math.random().toString(36).slice(2)}Zq7`;

const configureInputs = (inputs: object[] | undefined, target?: vscode.ConfigurationTarget) =>
  setting('inputs', inputs, target);

/** server-everything, which tells its environment. */
const telling = (env: Record<string, string>) => {
  const server = run(npmServerPath('everything'), 'stdio');
  return { ...server, env: { ...server.env, ...env } };
};

/** A variable in the environment of a running `telling` server. */
async function envOf(id: string, name: string): Promise<unknown> {
  const server = await loads(id);
  const tool = server.catalog.tools.find(candidate => candidate.name === 'get-env')!;
  const { content } = await raw(server).callTool(tool, {});
  return JSON.parse((content[0] as { text: string }).text)[name];
}

/** Carries out a command that asks, and accepts each question as it stands until it is done. */
async function accepting(command: string, ...args: unknown[]): Promise<void> {
  let done = false;
  const run = vscode.commands.executeCommand(command, ...args).then(() => (done = true));
  await waitFor(
    async () => {
      if (!done) await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return done;
    },
    { what: `${command} to end` },
  );
  await run;
}

/** What a file has; none for a folder, or for one that was replaced in this moment. */
function readIfThere(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Files below a folder that have a text in them. */
function filesWith(folder: string, text: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(file => join(folder, file))
    .filter(file => readIfThere(file)?.includes(text));
}

describe('inputs of servers', () => {
  /** What the commands `test.input` answer. */
  let answer: unknown;
  let command: vscode.Disposable;
  before(() => {
    command = vscode.commands.registerCommand('test.input', () => answer);
  });
  afterEach(async () => {
    await configure(undefined);
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
    await configureInputs(undefined);
    await configureInputs(undefined, vscode.ConfigurationTarget.Workspace);
    await closeEditors();
  });
  after(() => command.dispose());

  /** As the person did who chose "Always Run". */
  const letRun = async (more: object) => {
    const input = { type: 'command' as const, command: 'test.input', id: '', ...more };
    await (await api()).trust().inputCommands.allow({ scope: 'user' }, input);
    return input;
  };

  it('are requested once: the server waits, gets the value in its environment, and again later', async () => {
    const value = secret('token');
    await configureInputs([{ type: 'promptString', id: 'token', password: true, default: value }]);
    await configure({ one: telling({ MY_TOKEN: 'x ${input:token}' }) });
    const server = await reaches('one', 'needsInput');
    const { tree } = await api();
    const node = tree.getChildren().find(({ server: { id } }) => id === 'one')!;
    const row = tree.getTreeItem(node);
    assert.equal(row.contextValue, `server.needsInput${CODE}`);
    assert.match(String(tree.getTreeItem(tree.getChildren(node)[0]!).label), /it needs the input "token"/);

    await accepting('mcpHost.enterInputs', { server });
    assert.equal(await envOf('one', 'MY_TOKEN'), `x ${value}`);
    assert.equal(JSON.stringify(server.definition.entry).includes(value), false);

    await server.restart('the test wants it');
    assert.equal(await envOf('one', 'MY_TOKEN'), `x ${value}`);
  });

  it('of a keyring that is locked keep the server waiting, with the reason, until it is open again @inputs.keyring-locked-keep', async () => {
    const value = secret('token');
    await configureInputs([{ type: 'promptString', id: 'token', password: true, default: value }]);
    await configure({ one: telling({ MY_TOKEN: '${input:token}' }), beside: fixture('hostile') });
    const server = await reaches('one', 'needsInput');
    await accepting('mcpHost.enterInputs', { server });
    await loads('one');
    const { secrets } = (await api()).context;
    for (const [get, kind, reason] of [
      [
        () => Promise.reject(new Error('The keyring is locked')),
        'needsTrust',
        /could not check .*The keyring is locked/,
      ],
      // What the editor makes of a value that it can't decipher.
      [async () => undefined, 'needsInput', /it needs the input "token"/],
    ] as const) {
      const locked = mock.method(secrets, 'get', get);
      await server.restart('the test wants it');
      const { state } = server;
      assert.equal(state.kind, kind);
      assert.match('error' in state ? state.error.message : JSON.stringify(state), reason);
      locked.mock.restore();
      await server.restart('the test wants it');
      assert.equal(await envOf('one', 'MY_TOKEN'), value);
    }
    await loads('beside');
  });

  it('leave the server waiting when cancelled', async () => {
    await configureInputs([{ type: 'promptString', id: 'token', password: true }]);
    await configure({ one: telling({ MY_TOKEN: '${input:token}' }) });
    const server = await reaches('one', 'needsInput');
    let done = false;
    const run = vscode.commands.executeCommand('mcpHost.enterInputs', { server }).then(() => (done = true));
    await waitFor(
      async () => {
        await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        return done;
      },
      { what: 'the question to be cancelled' },
    );
    await run;
    assert.equal(server.state.kind, 'needsInput');
  });

  it('of two servers are requested together, including choices and commands', async () => {
    answer = secret('made');
    await configureInputs([
      { type: 'pickString', id: 'region', options: ['us', { label: 'Europe', value: 'eu' }], default: 'eu' },
      await letRun({ id: 'made' }),
    ]);
    await configure({
      one: telling({ REGION: '${input:region}', MADE: '${input:made}' }),
      two: telling({ REGION: '${input:region}' }),
    });
    await Promise.all([reaches('one', 'needsInput'), reaches('two', 'needsInput')]);
    await accepting('mcpHost.enterInputs');
    assert.deepEqual([await envOf('one', 'REGION'), await envOf('two', 'REGION')], ['eu', 'eu']);
    assert.equal(await envOf('one', 'MADE'), answer);
  });

  it('leave the server waiting when their command returns nothing', async () => {
    answer = undefined;
    await configureInputs([await letRun({ id: 'nothing' })]);
    await configure({ one: telling({ X: '${input:nothing}' }) });
    const server = await reaches('one', 'needsInput');
    await vscode.commands.executeCommand('mcpHost.enterInputs', { server });
    assert.equal(server.state.kind, 'needsInput');
  });

  it('are not requested from a command that cannot be shown whole, in any settings', async () => {
    const all = ['x'.repeat(5_000), Array.from({ length: 900 }, () => '')];
    for (const [scope, args] of (['user', 'workspace'] as const).flatMap(scope =>
      all.map(args => [scope, args] as const),
    )) {
      const source = { scope };
      const input = { type: 'command' as const, id: 'long', command: 'test.input', args };
      const asked = askInput(
        { input, source, servers: ['one'], step: 1, totalSteps: 1 },
        (await api()).trust().inputCommands,
      );
      await assert.rejects(asked, /"long" is too long to be shown in full and was not run/);
    }
  });

  it('are requested again when their definition has changed', async () => {
    answer = secret('first');
    const input = await letRun({ id: 'changing' });
    await configureInputs([input]);
    await configure({ one: telling({ X: '${input:changing}' }) });
    await reaches('one', 'needsInput');
    await vscode.commands.executeCommand('mcpHost.enterInputs');
    await loads('one');
    await configureInputs([{ ...input, args: ['other'] }]);
    await reaches('one', 'needsInput');
  });

  it('are squiggled at their place when undefined', async () => {
    const env = { X: '${input:nowhere}' };
    await configure({ one: { command: 'node', args: ['server.js'], env } }, vscode.ConfigurationTarget.Workspace);
    const document = await vscode.workspace.openTextDocument(settingsFile());
    await eventually(() => {
      const [squiggle] = problemsIn(settingsFile());
      assert.ok(squiggle);
      assert.equal(document.getText(squiggle.range), '"${input:nowhere}"');
      assert.match(
        squiggle.message,
        /\$\{input:nowhere\} is not defined\. Add it to "mcpHost\.inputs" in the same settings file\./,
      );
    });
  });

  it('replace a secret in plain text by a quick fix that asks nothing', async () => {
    const value = `ghp_${secret('').replaceAll('-', '').padEnd(36, 'a')}`;
    const text = `{
  // mine
  "mcpHost.servers": {
    "one": ${JSON.stringify(telling({ GITHUB_TOKEN: value }))}
  }
}`;
    await configure({}, vscode.ConfigurationTarget.Workspace); // so that the folder is there
    await watches(vscode.Uri.joinPath(settingsFile(), '..').fsPath);
    await vscode.workspace.fs.writeFile(settingsFile(), Buffer.from(text));
    await allow('one');
    assert.equal(await envOf('one', 'GITHUB_TOKEN'), value);
    const document = await vscode.workspace.openTextDocument(settingsFile());
    await vscode.window.showTextDocument(document);
    // It may be open since the test before: the editor reads the file again later than the settings in it.
    await waitFor(() => document.getText() === text, { what: 'the new text in the editor' });
    const at = document.positionAt(text.indexOf(value) + 3);
    const fixes = () => quickFixesAt(settingsFile(), new vscode.Range(at, at));
    const fix = await waitFor(async () => (await fixes())?.find(({ title }) => title === 'Move to an input'), {
      what: 'the quick fix',
    });
    await vscode.commands.executeCommand(fix.command!.command, ...fix.command!.arguments!);
    const after = readFileSync(settingsFile().fsPath, 'utf8');
    assert.ok(!after.includes(value), after);
    assert.match(after, /\/\/ mine/);
    assert.match(after, /"GITHUB_TOKEN":\s*"\$\{input:one-GITHUB_TOKEN\}"/);
    assert.match(after, /"mcpHost.inputs": \[/);
    const { servers } = await api();
    await waitFor(() => servers.get('one')?.definition.inputs !== undefined, { what: 'the changed settings' });
    await allow('one'); // the entry is another one now
    assert.equal(await envOf('one', 'GITHUB_TOKEN'), value);
  });
});

describe('secrets', () => {
  afterEach(async () => {
    await configure(undefined);
    await configureInputs(undefined);
    delete process.env.TEST_FROM_ENV;
  });

  it('are in no log, row, hover, error or file of the extension, whatever encoding the server uses @inputs.log-row-hover', async () => {
    const [entered, fromEnv, header, named] = [secret('entered'), secret('fromEnv'), secret('header'), secret('named')];
    const all = [entered, fromEnv, header, named];
    process.env.TEST_FROM_ENV = fromEnv;
    const says = `const { A, B, C } = process.env;
      for (const s of [A, B, C]) {
        console.error('plain', s, JSON.stringify({ s }), encodeURIComponent(s));
        console.error('base64', Buffer.from('user:' + s).toString('base64'));
        console.log('noise ' + s + ' '.repeat(900) + s);
      }
      console.error('Error: cannot use ' + A + B + C);
      process.exit(3);`;
    await configureInputs([{ type: 'promptString', id: 'entered', password: true, default: entered }]);
    await configure({
      says: {
        command: process.execPath,
        args: ['-e', says],
        env: { ELECTRON_RUN_AS_NODE: '1', A: '${input:entered}', B: '${env:TEST_FROM_ENV}', C: named, MY_TOKEN: named },
      },
      // One server knows what another one prints.
      tells: fixture('hostile'),
      offers: fixture('hostile', `--says=${named}`),
      remote: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${header}` } },
    });
    await reaches('says', 'needsInput');
    await accepting('mcpHost.enterInputs');
    const { state } = await reaches('says', 'failed');
    const tells = await loads('tells');
    const tool = tells.catalog.tools.find(({ name }) => name === 'log')!;
    // As a person who runs the tool: the call is in the audit log, its arguments are not.
    const { calls, pins, audit } = (await api()).trust();
    const wanted = { server: tells, tool, args: { level: 'warning', text: `${all.join(' ')} end` } };
    const call = await calls.approve({ ...wanted, origin: 'palette' }, async () => undefined);
    assert.ok(call.approved);
    await call.run();
    assert.match(await audit.read(), /"type":"call","server":"tells","tool":"log"/);
    // A description that has a secret in it, in the pins and in the catalog that is kept.
    const offers = await loads('offers');
    assert.ok(offers.catalog.tools.some(({ description }) => description?.includes(named)));
    await pins.offer(offers);
    assert.equal(pins.toolState(offers, offers.catalog.tools.at(-1)!), 'accepted');
    await logged('tells', /••• ••• ••• ••• end/);
    await logged('says', /Error: cannot use •••/);
    await reaches('remote', 'failed');

    const { context, tree } = await api();
    const shown = tree.getChildren().flatMap(node => {
      const rows = [node, ...tree.getChildren(node)].map(row => tree.resolveTreeItem(tree.getTreeItem(row), row));
      return rows.flatMap(({ label, description, tooltip }) => [
        String(label),
        String(description),
        (tooltip as vscode.MarkdownString | undefined)?.value ?? '',
      ]);
    });
    assert.ok(state.kind === 'failed');
    const said = [
      ...shown,
      state.error.message,
      state.error.stack ?? '',
      String(state.error.cause),
      ...state.error.stderrTail,
    ];
    const documents = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'output');
    // All logs of this run of the editor: the channels, the extension host's own.
    const logs = dirname(dirname(context.logUri.fsPath));
    await waitFor(() => filesWith(logs, 'cannot use •••').length > 0, { what: 'the log to be on disk' });
    await audit.flush();
    await waitFor(() => filesWith(context.globalStorageUri.fsPath, 'Says •••').length > 1, {
      what: 'the pins and the catalog to be on disk',
    });
    const folders = [logs, context.globalStorageUri.fsPath, context.storageUri!.fsPath];
    for (const value of all) {
      const encodings = [value, Buffer.from(`user:${value}`).toString('base64').slice(8, -4)];
      for (const text of encodings) {
        assert.deepEqual(
          said.filter(line => line.includes(text)),
          [],
        );
        assert.deepEqual(documents.filter(document => document.getText().includes(text)).map(String), []);
        assert.deepEqual(
          folders.flatMap(folder => filesWith(folder, text)),
          [],
        );
      }
    }
    assert.ok(!JSON.stringify(context.globalState.keys().map(key => context.globalState.get(key))).includes(entered));
  });
});

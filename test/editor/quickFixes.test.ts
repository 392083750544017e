import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { packageLines } from '../../src/features/supply/supply';
import { startHttpFixture, waitFor } from '../servers/spawn';
import {
  allow,
  api,
  closeEditors,
  configure,
  eventually,
  fixture,
  loads,
  problemsIn,
  quickFixesAt,
  reaches,
  setting,
} from './window';

const { Workspace } = vscode.ConfigurationTarget;
const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');
const ours = () => problemsIn(settingsFile());
const noneIsLeft = () => waitFor(() => ours().length === 0, { what: () => `${ours().map(one => one.message)} to go` });

/** Titles of the quick fixes at a diagnostic of ours, once there is one that says this. */
async function fixesAt(message: RegExp): Promise<vscode.CodeAction[]> {
  const found = () => ours().find(diagnostic => message.test(diagnostic.message));
  const actionsAt = async () => {
    const problem = found();
    if (!problem) return undefined;
    // The editor closes documents that nobody shows after a while, and then there are no actions for them.
    await vscode.workspace.openTextDocument(settingsFile());
    return quickFixesAt(settingsFile(), problem.range);
  };
  return waitFor(actionsAt, { what: () => `${message} among ${ours().map(one => one.message)}` });
}

/** Does what choosing a quick fix does. */
async function choose(actions: vscode.CodeAction[], title: string): Promise<void> {
  const action = actions.find(one => one.title === title);
  assert.ok(action, `${title} is not among ${actions.map(one => one.title)}`);
  if (action.edit) assert.ok(await vscode.workspace.applyEdit(action.edit));
  const { command, arguments: args = [] } = action.command ?? {};
  if (command) await vscode.commands.executeCommand(command, ...args);
}

describe('quick fixes in settings.json', () => {
  const good = fixture('hostile');
  const { command, args, env } = good;
  afterEach(() => configure(undefined, Workspace));

  const mistakes: [title: string, entry: object, message: RegExp][] = [
    ['Rename to "command"', { cmd: command, args, env }, /"cmd" is unknown/],
    ['Change the type to "stdio"', { ...good, type: 'local' }, /"type" must be/],
    ['Put the arguments in a list', { ...good, args: JSON.stringify(args[0]) }, /"args" must be a list/],
    ['Put it in quotes', { ...good, args: ['--title', 5, ...args] }, /"args" must be/],
    ['Remove the quotes', { ...good, enabled: 'true' }, /"enabled" must be/],
    ['Remove the quotes', { ...good, timeouts: { startMs: '20000' } }, /"timeouts.startMs" must be/],
  ];
  it('a package without a fixed version gets a hint, and is pinned to the version fetched last @fixes.package-fixed-version', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
    const at = join(cache, '_npx', 'abc');
    mkdirSync(join(at, 'node_modules', '@s', 'x'), { recursive: true });
    writeFileSync(join(at, 'package.json'), JSON.stringify({ _npx: { packages: ['@s/x'] } }));
    const manifest = { name: '@s/x', version: '2.0.1', author: { name: 'Some\u202ebody' } };
    writeFileSync(join(at, 'node_modules', '@s', 'x', 'package.json'), JSON.stringify(manifest));
    try {
      const npx = { command: 'npx', args: ['-y', '@s/x', '--port'], env: { npm_config_cache: cache } };
      await configure({ floating: npx }, Workspace);
      const server = await reaches('floating', 'needsTrust');
      assert.deepEqual(await packageLines(server.definition.reviewed!), [
        '@s/x, without a fixed version',
        '  fetched before: 2.0.1, by Some⟨U+202E⟩body (so the package says)',
      ]);
      await vscode.workspace.openTextDocument(settingsFile());
      const actions = await fixesAt(/^@s\/x is not pinned to a version/);
      const document = await vscode.workspace.openTextDocument(settingsFile());
      await eventually(() => {
        const [hint] = ours();
        assert.equal(hint?.severity, vscode.DiagnosticSeverity.Information);
        assert.equal(document.getText(hint.range), '"@s/x"');
      });
      const { tree } = await api();
      const row = tree.getChildren().find(node => node.server === server)!;
      assert.match((await tree.getTreeItem(row)).contextValue!, /\.code\.package$/);
      await choose(actions, 'Pin the version that runs');
      await eventually(async () => {
        assert.match((await vscode.workspace.openTextDocument(settingsFile())).getText(), /"@s\/x@2\.0\.1"/);
        const pinned = await reaches('floating', 'needsTrust');
        assert.deepEqual((await packageLines(pinned.definition.reviewed!))[0], '@s/x 2.0.1');
      });
      await noneIsLeft();
    } finally {
      rmSync(cache, { recursive: true, force: true });
      await vscode.commands.executeCommand('notifications.clearAll');
    }
  });

  for (const [index, [title, entry, message]] of mistakes.entries()) {
    // Each has its own name: a consent holds for the next one too.
    const name = `mistaken-${index}`;
    it(`"${title}" mends an entry with ${message.source}, and the server starts`, async () => {
      await configure({ [name]: entry }, Workspace);
      await reaches(name, 'failed');
      await choose(await fixesAt(message), title);
      const document = await vscode.workspace.openTextDocument(settingsFile());
      assert.ok(document.isDirty);
      await document.save();
      await allow(name);
      await loads(name);
      await noneIsLeft();
    });
  }

  it('each mistake is reported once, by us, and the editor still completes', async () => {
    const servers = {
      'bad/name': { command: 'x' },
      one: { command: 5, type: 'web', enabled: 'yes', timeouts: { startMs: 0 } },
      two: {},
    };
    await configure(servers, Workspace);
    await setting('inputs', [{ type: 'promptString' }], Workspace);
    const editor = vscode.workspace.getConfiguration('editor');
    await editor.update('tabSize', 'many', Workspace);
    try {
      const document = await vscode.workspace.openTextDocument(settingsFile());
      await vscode.window.showTextDocument(document);
      await waitFor(() => ours().length >= 6, { what: () => `${ours().map(({ message }) => message)}` });
      const at = document.positionAt(document.getText().indexOf('"web"') + 1);
      const labels = async () => {
        const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          settingsFile(),
          at,
        );
        const found = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
        return found.includes('"stdio"') ? found : undefined;
      };
      await waitFor(labels, { what: 'suggestions for a type' });
      // The mistake in a setting of the editor tells that it has checked the file.
      const others = () =>
        vscode.languages.getDiagnostics(settingsFile()).filter(({ source }) => source !== 'MCP Host');
      await waitFor(() => others().length > 0, { what: 'the check of the editor' });
      assert.deepEqual(
        others().map(({ range }) => document.getText(range)),
        ['"many"'],
      );
    } finally {
      await setting('inputs', undefined, Workspace);
      await editor.update('tabSize', undefined, Workspace);
      await closeEditors();
    }
  });

  it('a command line is split, and keeps its comments', async () => {
    await configure({ whole: { command: `"${command}" "${args[0]}"`, env } }, Workspace);
    await allow('whole');
    await choose(await fixesAt(/whole command line/), 'Move the arguments to "args"');
    const document = await vscode.workspace.openTextDocument(settingsFile());
    await document.save();
    await eventually(() => {
      const { whole } = vscode.workspace.getConfiguration('mcpHost').get<Record<string, object>>('servers')!;
      assert.deepEqual(whole, { command, env, args });
    });
    await loads('whole');
    await noneIsLeft();
  });
});

describe('a server that has failed', () => {
  afterEach(async () => {
    await configure(undefined);
    await configure(undefined, Workspace);
  });

  it('is a problem at its entry, with its log and a new start at hand, until it is stopped', async () => {
    await configure({ ill: fixture('hostile', '--exit-at-start=3'), well: fixture('hostile') }, Workspace);
    for (const id of ['ill', 'well']) await allowToStart(id);
    await reaches('ill', 'failed');
    const actions = await fixesAt(/MCP server "ill" could not start: .* \(its process exited with code 3\)/);
    const document = await vscode.workspace.openTextDocument(settingsFile());
    await eventually(() =>
      assert.deepEqual(
        ours().map(({ range }) => document.getText(range)),
        ['"ill"'],
      ),
    );
    const server = (await api()).servers.get('ill')!;
    const { starts } = server.vitals;
    await choose(actions, 'Start "ill" again');
    await waitFor(() => server.vitals.starts > starts, { what: 'another start' });
    await reaches('ill', 'failed');
    await choose(await fixesAt(/"ill" could not start/), 'Show the log of "ill"');
    await server.stop('the test');
    await noneIsLeft();
  });

  it('to list its tools is a problem at its entry and on its row, in its own words', async () => {
    const error = JSON.stringify({ code: -32603, message: 'Date cannot be represented in JSON Schema' });
    await configure({ one: fixture('hostile', `--answer-at=tools/list "error":${error}`) }, Workspace);
    await allowToStart('one');
    await reaches('one', 'ready');
    await fixesAt(/"one" could not list its tools: .*Date cannot be represented in JSON Schema/);
    const { tree } = await api();
    const node = tree.getChildren().find(({ server }) => server.id === 'one')!;
    assert.match(String(tree.getTreeItem(node).description), /1 list failed/);
    await configure(undefined, Workspace);
    await noneIsLeft();
  });

  it('has its remedies in the hover, in which texts of the server make no links @fixes.remedies-hover-texts', async () => {
    const { command } = fixture('hostile');
    const says = '[x](command:mcpHost.applyRemedy?1) <a href="command:x">y</a>';
    const script = `console.error(${JSON.stringify(`Error: ${says}`)}); process.exit(3)`;
    const env = { ELECTRON_RUN_AS_NODE: '1', KEY: '${env:SURELY_NOT_SET}' };
    await configure({ loud: { command, args: ['-e', script], env } });
    await reaches('loud', 'failed');
    const { tree } = await api();
    const node = tree.getChildren().find(({ server }) => server.id === 'loud')!;
    const { value, isTrusted } = tree.resolveTreeItem(tree.getTreeItem(node), node).tooltip as vscode.MarkdownString;
    assert.deepEqual(isTrusted, { enabledCommands: ['mcpHost.applyRemedy'] });
    const shown = (markdown = '') => markdown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    const links = [...value.matchAll(/\[([^\]]*)\]\(command:(\S+?)\?/g)].map(
      ([, title, id]) => `${shown(title)} ${id}`,
    );
    assert.equal(links[0], 'Enter a value for SURELY_NOT_SET… mcpHost.applyRemedy');
    assert.ok(
      links.some(link => link.startsWith('Explain in Chat')),
      value,
    );
    assert.doesNotMatch(value, /\[x\]|<a /);
    // An old link, or one that somebody made up, does nothing.
    const before = vscode.workspace.getConfiguration('mcpHost').get('servers');
    await vscode.commands.executeCommand('mcpHost.applyRemedy', 'loud', { kind: 'appendPath' });
    await vscode.commands.executeCommand('mcpHost.applyRemedy', 'gone', { kind: 'start' });
    await vscode.commands.executeCommand('mcpHost.applyRemedy', undefined, undefined);
    assert.deepEqual(vscode.workspace.getConfiguration('mcpHost').get('servers'), before);
  });

  it('runs the command that was meant, with its arguments', async () => {
    await configure({ near: { command: 'nodee', args: ['--version'] } });
    await reaches('near', 'failed');
    const told = mock.method(vscode.window, 'showInformationMessage', async () => undefined).mock;
    try {
      await vscode.commands.executeCommand('mcpHost.applyRemedy', 'near', { kind: 'setCommand', to: 'node' });
      await waitFor(() => told.callCount() > 0, { what: 'the notification' });
      const said = String(told.calls[0]!.arguments[0]);
      // It ran: it has said its version, and no more.
      assert.match(said, /"near" were changed \(Change the command to "node"\), also without success: (?!command not)/);
      const { near } = vscode.workspace.getConfiguration('mcpHost').get<Record<string, unknown>>('servers')!;
      assert.deepEqual(near, { command: 'node', args: ['--version'] });
    } finally {
      mock.restoreAll();
    }
  });

  it('that has a longer URL says so, and that it did not help either, and takes it back', async () => {
    const http = await startHttpFixture();
    try {
      await configure({ far: { url: http.url('/404') } });
      await reaches('far', 'failed');
      const told = mock.method(vscode.window, 'showInformationMessage', async () => 'Undo' as never).mock;
      await vscode.commands.executeCommand('mcpHost.applyRemedy', 'far', { kind: 'appendPath' });
      await waitFor(() => told.callCount() > 0, { what: 'the notification' });
      const [message, ...buttons] = told.calls[0]!.arguments as unknown[];
      assert.match(
        String(message),
        /^The settings of "far" were changed \(http:\S+\/404\/mcp\), also without success: its URL answered with HTTP 404\.$/,
      );
      assert.deepEqual(buttons, ['Undo']);
      const urlNow = () =>
        vscode.workspace.getConfiguration('mcpHost').get<{ far?: { url?: string } }>('servers')?.far?.url;
      await eventually(() => assert.equal(urlNow(), http.url('/404')));
    } finally {
      mock.restoreAll();
      await http.stop();
    }
  });

  it('that exceeded its start limit gets twice as long, and starts', async () => {
    // It answers at its second start. A busy machine needs a good part of that limit to start anything.
    const slow = fixture('hostile', `--dead-start=${join(mkdtempSync(join(tmpdir(), 'mcp-fixes-')), 'started')}`);
    await configure({ slow: { ...slow, timeouts: { startMs: 6_000 } } }, Workspace);
    await allowToStart('slow');
    await reaches('slow', 'failed');
    const actions = await fixesAt(/"slow" could not start: no answer within 6 s/);
    await choose(actions, 'Wait up to 12 s for it to start, and start it again');
    const server = await reaches('slow', 'ready');
    assert.equal(server.definition.entry?.timeouts.startMs, 12_000);
    const document = await vscode.workspace.openTextDocument(settingsFile());
    assert.equal(document.isDirty, false);
  });

  it('that lacks uv gets the install command typed into a terminal, not run', async () => {
    await configure({ python: { command: 'uvx', args: ['some-server'], env: { PATH: '/nowhere' } } }, Workspace);
    await allowToStart('python');
    await reaches('python', 'failed');
    const actions = await fixesAt(/command not found: uvx. Install uv/);
    assert.ok(actions.some(({ title }) => title === 'Show how to install uv'));
    await choose(actions, 'Install uv (opens a terminal with the command)');
    const opened = () => vscode.window.terminals.find(({ name }) => name === 'Install uv');
    await waitFor(opened, { what: 'the terminal' });
    opened()!.dispose();
  });
});

/** Allows a server to start, however that ends. */
async function allowToStart(id: string): Promise<void> {
  const server = await reaches(id, 'needsTrust');
  const { consents } = (await api()).trust();
  await consents.allow(consents.review(server.definition)!);
}

describe('diagnostics of the servers', () => {
  afterEach(() => configure(undefined));

  it('are copied without values from settings', async () => {
    await configure({ one: { ...fixture('hostile'), env: { ELECTRON_RUN_AS_NODE: '1', CITY: 'Timbuktu-42' } } });
    await loads('one');
    await vscode.commands.executeCommand('mcpHost.copyDiagnostics');
    const report = await vscode.env.clipboard.readText();
    assert.match(report, /^# MCP Host diagnostics\n\n.+\n\n- Extension: \d/);
    assert.match(report, /## Server `one`/);
    assert.match(report, /"CITY": "•••"/);
    assert.doesNotMatch(report, /Timbuktu/);
  });
});

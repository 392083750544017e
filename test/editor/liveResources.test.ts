import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import { api, closeEditors, configure, fixture, loads, raw, reaches, resourceUri, run } from './window';

const ONE = 'changing://notes/one.txt';
const TWO = 'changing://notes/two.txt';

const listed = (server: ServerConnection, uri: string) =>
  server.catalog.resources.find(resource => resource.uri === uri) ?? { uri, name: '' };
const command = (name: string, server: ServerConnection, uri: string) =>
  vscode.commands.executeCommand(`mcpHost.${name}`, { server, resource: listed(server, uri) });
const call = (server: ServerConnection, name: string, args: Record<string, unknown>) =>
  raw(server).request(`call ${name}`, (client, options) => client.callTool({ name, arguments: args }, options));
const is = (server: ServerConnection, uri: string, state: string | undefined) =>
  waitFor(() => server.subscriptions.state(uri) === state, {
    what: () => `${uri} to be ${state}; it is ${server.subscriptions.state(uri)}`,
  });
const shows = (document: vscode.TextDocument, text: string) =>
  waitFor(() => document.getText().includes(text), { what: () => `"${text}" in:\n${document.getText().slice(-300)}` });

for (const era of ['legacy', 'modern'] as const) {
  describe(`an open resource of a server of the ${era} era`, () => {
    let server: ServerConnection;
    before(async () => {
      await closeEditors();
      await configure({ changing: fixture('changing', ...(era === 'legacy' ? ['--legacy'] : [])) });
      server = await loads('changing');
      assert.equal(server.info?.era, era);
    });
    afterEach(async () => {
      await closeEditors();
      for (const uri of [ONE, TWO]) await is(server, uri, undefined);
    });
    after(() => configure(undefined));

    it('is followed until its last editor is closed', async () => {
      assert.equal(server.subscriptions.state(ONE), undefined);
      await command('openResource', server, ONE);
      await is(server, ONE, 'live');
      await vscode.commands.executeCommand('workbench.action.splitEditor');
      const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs).length;
      await waitFor(() => tabs() === 2, { what: 'two editors' });
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await waitFor(() => tabs() === 1, { what: 'one editor' });
      assert.equal(server.subscriptions.state(ONE), 'live');
    });

    it('shows the last of many changes immediately', async () => {
      await command('openResource', server, TWO);
      const { document } = vscode.window.activeTextEditor!;
      await is(server, TWO, 'live');
      for (let i = 0; i < 20; i++) await call(server, 'change', { uri: TWO, text: `Change ${i}`, times: 20 });
      await shows(document, 'Change 19');
    });

    it('does not show what has become so large that the editor would stop for it @resources.become-large', async () => {
      await command('openResource', server, TWO);
      const { document } = vscode.window.activeTextEditor!;
      await is(server, TWO, 'live');
      let mostLines = 0;
      const watching = vscode.workspace.onDidChangeTextDocument(change => {
        if (change.document === document) mostLines = Math.max(mostLines, document.lineCount);
      });
      try {
        await call(server, 'change', { uri: TWO, text: '\n'.repeat(1_100_000) });
        const { trace } = (await api()).servers;
        await waitFor(() => trace!.records().some(({ size }) => size > 2_200_000), { what: 'the large content' });
        await call(server, 'change', { uri: TWO, text: '\nSmall again' });
        await shows(document, 'Small again');
        assert.ok(mostLines > 0 && mostLines < 1_000, String(mostLines));
      } finally {
        watching.dispose();
      }
    });

    it('follows a new session of its server', async () => {
      await command('openResource', server, ONE);
      const { document } = vscode.window.activeTextEditor!;
      await is(server, ONE, 'live');
      await server.restart('a test');
      await is(server, ONE, 'live');
      await call(server, 'change', { uri: ONE, text: 'After the restart.' });
      await shows(document, 'After the restart.');
    });

    // What editors show is no matter of the era.
    if (era === 'legacy') return;

    it('refreshes its editor, which keeps scroll position, selection and focus', async () => {
      await command('openResource', server, ONE);
      await command('openResource', server, TWO);
      await vscode.commands.executeCommand('workbench.action.moveEditorToNextGroup');
      const isTwo = ({ document }: vscode.TextEditor) => document.uri.path.endsWith('/two.txt');
      await waitFor(() => [vscode.window.activeTextEditor].some(editor => editor?.viewColumn === 2 && isTwo(editor)), {
        what: 'the editor in the other group',
      });
      const two = vscode.window.activeTextEditor!;
      const one = await waitFor(
        () => vscode.window.visibleTextEditors.find(({ document }) => document.uri.path.endsWith('/one.txt')),
        { what: 'both editors' },
      );
      one.selection = new vscode.Selection(120, 2, 120, 5);
      one.revealRange(new vscode.Range(120, 0, 120, 0), vscode.TextEditorRevealType.AtTop);
      const top = () => one.visibleRanges[0]?.start.line ?? 0;
      await waitFor(() => top() >= 110, { what: 'the editor to be scrolled' });
      const before = top();
      await is(server, ONE, 'live');
      await call(server, 'change', { uri: ONE, text: 'Told.' });
      await shows(one.document, 'Told.');
      assert.equal(top(), before);
      assert.deepEqual([one.selection.start.line, one.selection.end.character], [120, 5]);
      assert.equal(vscode.window.activeTextEditor, two);
      assert.equal(one.document.isDirty, false);
    });

    it('refreshes the hex view too', async () => {
      const uri = 'changing://bytes.bin';
      await command('openResource', server, uri);
      const { document } = vscode.window.activeTextEditor!;
      assert.equal(document.uri.scheme, 'mcp-hex');
      await is(server, uri, 'live');
      await call(server, 'change', { uri, text: 'xyz' });
      await shows(document, '78 79 7a');
    });

    it('shows changes that were made without notification while it was opened', async () => {
      const opening = command('openResource', server, TWO);
      await call(server, 'change', { uri: TWO, text: 'Meanwhile', times: 0 });
      await opening;
      await is(server, TWO, 'live');
      await shows(vscode.window.activeTextEditor!.document, 'Meanwhile');
    });
  });
}

describe('a watched resource', () => {
  afterEach(async () => {
    await closeEditors();
    await configure(undefined);
  });
  const start = async (...flags: string[]) => {
    await configure({ changing: fixture('changing', ...flags) });
    return loads('changing');
  };

  it('is followed without an editor, in the next session too, until unwatched', async () => {
    const server = await start('--legacy');
    await command('watchResource', server, ONE);
    assert.equal(server.subscriptions.state(ONE), 'live');
    await command('openResource', server, ONE);
    await closeEditors();
    await server.restart('a test');
    await is(server, ONE, 'live');
    await command('unwatchResource', server, ONE);
    await is(server, ONE, undefined);
  });

  it('is watched again when its server is removed and comes back', async () => {
    const server = await start();
    await command('watchResource', server, ONE);
    await configure({});
    await waitFor(() => server.subscriptions.state(ONE) === undefined, { what: 'the end of it' });
    const again = await start();
    assert.notEqual(again, server);
    await is(again, ONE, 'live');
    await command('unwatchResource', again, ONE);
  });

  it('begins anew when its server is removed and comes back: what another process has is no change', async () => {
    const { showInformationMessage } = vscode.window;
    const changed: (string | undefined)[] = [];
    const hear = async (message: string) => void changed.push(/"(.+)" from server .* has changed/.exec(message)?.[1]);
    Object.assign(vscode.window, { showInformationMessage: hear });
    const BYTES = 'changing://bytes.bin';
    // Notifications arrive in order: once this change has arrived, so have the earlier ones.
    const isTold = async (server: ServerConnection, uri: string, told: string[]) => {
      await is(server, uri, 'live');
      await call(server, 'announce', { uri: ONE });
      let changes = 0;
      const change = async () => {
        await call(server, 'change', { uri, text: `Change ${changes++}` });
        return changed.length >= told.length;
      };
      await waitFor(change, { what: () => `one more notice than ${changed}` });
      assert.deepEqual(changed, told);
    };
    try {
      const server = await start();
      await call(server, 'change', { uri: ONE, text: 'Of this process.' });
      for (const uri of [ONE, TWO, BYTES]) await command('watchResource', server, uri);
      await isTold(server, TWO, ['two.txt']);
      await configure({});
      await waitFor(() => server.subscriptions.state(ONE) === undefined, { what: 'the end of it' });
      const again = await start();
      await is(again, ONE, 'live');
      await isTold(again, BYTES, ['two.txt', 'bytes.bin']);
      for (const uri of [ONE, TWO, BYTES]) await command('unwatchResource', again, uri);
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
  });

  it('that no longer exists is no longer watched', async () => {
    const server = await start();
    await command('watchResource', server, TWO);
    await call(server, 'remove', { uri: TWO });
    await is(server, TWO, undefined);
  });

  it('is not offered when the server does not announce changes', async () => {
    const server = await start('--no-subscribe');
    await command('watchResource', server, ONE);
    assert.equal(server.subscriptions.state(ONE), undefined);
  });

  it('is not kept when the server refuses the subscription', async () => {
    const server = await start('--legacy', `--refuse=${ONE}`);
    await command('watchResource', server, ONE);
    assert.equal(server.subscriptions.state(ONE), undefined);
  });

  it('can be chosen before its server runs', async () => {
    const server = await start();
    await server.stop('a test');
    await command('watchResource', server, ONE);
    assert.equal(server.subscriptions.state(ONE), 'pending');
    await server.start('a test');
    await is(server, ONE, 'live');
    await command('unwatchResource', server, ONE);
  });
});

describe('open resources of other servers', () => {
  afterEach(async () => {
    await closeEditors();
    await configure(undefined);
  });

  it('of server-everything refresh as often as the server announces', async () => {
    await configure({ everything: run(npmServerPath('everything'), 'stdio') });
    const server = await loads('everything');
    const uri = 'demo://resource/dynamic/text/1';
    await vscode.commands.executeCommand('vscode.open', resourceUri(server.id, { uri, name: 'one.txt' }));
    const { document } = vscode.window.activeTextEditor!;
    await is(server, uri, 'live');
    const before = document.getText();
    await call(server, 'toggle-subscriber-updates', {});
    await waitFor(() => document.getText() !== before, { what: () => `a change of ${before}` });
    await closeEditors();
    await is(server, uri, undefined);
  });

  it('fill in when they appear', async () => {
    await configure({ changing: fixture('changing') });
    const server = await reaches('changing', 'ready');
    const uri = 'changing://new.txt';
    await vscode.commands.executeCommand('vscode.open', resourceUri(server.id, { uri, name: 'new.txt' }));
    await is(server, uri, 'live');
    await call(server, 'change', { uri, text: 'Here it is.' });
    const find = () => vscode.workspace.textDocuments.find(({ uri: { path } }) => path.endsWith('/new.txt'));
    await waitFor(() => find()?.getText().includes('Here it is.'), { what: 'the editor to fill in' });
  });
});

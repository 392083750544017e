import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { serverItem } from '../../src/features/servers/serverItems';
import { type HttpFixture, startHttpFixture, waitFor } from '../servers/spawn';
import { allow, api, configure, eventually, fixture, loads, logged, problemsIn, reaches, watches } from './window';

const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');

/** The texts of a failed server's row, and of the first row below it. */
async function rowOf(id: string) {
  const { tree } = await api();
  const node = tree.getChildren().find(({ server }) => server.id === id)!;
  const item = tree.getTreeItem(node);
  const below = tree.getChildren(node).map(child => tree.getTreeItem(child));
  const news = serverItem(node.server, { changes: 0, dev: 'build failed' });
  return {
    withNews: String(news.description),
    description: String(item.description),
    tooltip: decoded((tree.resolveTreeItem(item, node).tooltip as vscode.MarkdownString).value),
    reason: decoded((below[0]!.tooltip as vscode.MarkdownString).value),
    below: below.map(({ label }) => String(label)).join('\n'),
  };
}

/** The text of plain markdown. */
const decoded = (markdown: string) =>
  markdown
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&nbsp;', ' ')
    .replace(/ {2}\n/g, '\n');

describe('a broken server entry', () => {
  let http: HttpFixture;
  let gone: string;
  before(async () => {
    http = await startHttpFixture();
    const other = await startHttpFixture();
    gone = other.url('/mcp');
    await other.stop();
  });
  after(async () => {
    await http.stop();
    await configure(undefined);
  });

  it('becomes a row with server and remedy, and a log line; the good server is untouched @badInput.becomes-row-server', async () => {
    const timeouts = { startMs: 1_500 };
    await configure({
      good: fixture('hostile'),
      'missing command': { command: 'no-such-command-anywhere' },
      exits: fixture('hostile', '--exit-at-start=3'),
      garbage: { ...fixture('hostile', '--garbage-only'), timeouts },
      silent: { ...fixture('hostile', '--silent'), timeouts },
      'unknown variable': { command: 'node', args: ['${nonsense}'] },
      'wrong type': { command: 5 },
      unreachable: { url: gone },
      'sign in': { url: http.url('/401') },
      'not found': { url: http.url('/404') },
      'web page': { url: http.url('/html') },
      hangs: { url: http.url('/hang'), timeouts },
    });
    const expected: Record<string, [RegExp, RegExp]> = {
      'missing command': [/command not found/, /Check "command"/],
      exits: [/Error: missing API_KEY \(its process exited with code 3\)/, /start it again/],
      garbage: [/no answer within 1.5 s/, /"startMs"/],
      silent: [/no answer within 1.5 s/, /"startMs"/],
      'unknown variable': [/\$\{nonsense\}/, /\$\{workspaceFolder\}/],
      'wrong type': [/"command"/, /./],
      unreachable: [/cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/, /Check that the server is running/],
      'sign in': [/sign-in required|requires credentials/, /"Sign In" on its row|"headers"/],
      'not found': [/HTTP 404/, /Check the path/],
      'web page': [/returned a web page, not MCP/, /Check the URL/],
      hangs: [/no answer within 1.5 s/, /"startMs"/],
    };
    for (const [id, [reason, remedy]] of Object.entries(expected)) {
      await reaches(id, id === 'sign in' ? 'needsAuth' : 'failed');
      const row = await rowOf(id);
      assert.match(row.description, reason);
      assert.ok(row.tooltip.includes(`MCP server "${id}" could not `), row.tooltip);
      assert.match(row.below, remedy, id);
      // Below the reason and above all else, in the hover of each row that says why.
      const settings = `[Open the settings of "${id}"](command:`;
      assert.ok(row.reason.includes(settings), row.reason);
      const [first, rest = ''] = row.tooltip.split(settings);
      assert.ok(!first!.includes('Configured in') && rest.includes('Configured in'), row.tooltip);
      if (id !== 'sign in') assert.ok(row.withNews.endsWith(' · build failed'), row.withNews);
      await logged(id, reason);
    }
    assert.match((await rowOf('exits')).tooltip, /missing API_KEY\s+set it in the environment/);
    await loads('good');
    // With the time that it may need on a busy machine to say anything at all.
    await configure({ babbling: fixture('hostile', '--garbage-only') });
    await logged('babbling', /\[stdout\] not an MCP message/);
  });

  it('is squiggled at its place in settings.json', async () => {
    await configure(undefined);
    await watches(vscode.Uri.joinPath(settingsFile(), '..').fsPath);
    const text = `{
  // a comment
  "mcpHost.servers": {
    "mcpServers": {
      "bad": { "command": "node", "args": [1, "x"] },
      "odd": { "cmd": "node" },
      "good": { "command": "node", "args": ["--version"], "timeouts": { "startMs": 1000 } },
    }
  }
}`;
    await vscode.workspace.fs.writeFile(settingsFile(), Buffer.from(text));
    const document = await vscode.workspace.openTextDocument(settingsFile());
    const found = () =>
      problemsIn(settingsFile()).map(
        ({ range, severity }) => `${vscode.DiagnosticSeverity[severity]} ${document.getText(range)}`,
      );
    for (const wanted of ['Warning "mcpServers"', 'Error 1', 'Error "cmd"'])
      await waitFor(() => found().includes(wanted), { what: () => `${wanted} in\n${found().join('\n')}` });
    await reaches('bad', 'failed');
    // They stay while servers change.
    const counts: number[] = [];
    const told = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some(uri => uri.toString() === settingsFile().toString())) counts.push(found().length);
    });
    await configure({ more: { command: 'never-there', enabled: false } });
    await waitFor(() => counts.length > 0, { what: 'the squiggles to be looked at again' });
    told.dispose();
    assert.ok(
      counts.every(count => count >= 3),
      counts.join(),
    );
    await configure(undefined);
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
    await waitFor(() => found().length === 0, { what: 'the squiggles to go' });
  });

  it('leaves readable what can be read when the whole file is broken @badInput.leaves-readable-read', async () => {
    await configure(undefined);
    await watches(vscode.Uri.joinPath(settingsFile(), '..').fsPath);
    writeFileSync(
      settingsFile().fsPath,
      `{ "mcpHost.servers": { "one": ${JSON.stringify(fixture('hostile'))}, "two": { "command": `,
    );
    await allow('one');
    await loads('one');
    writeFileSync(settingsFile().fsPath, '{}');
    const { servers } = await api();
    await waitFor(() => servers.all.length === 0, { what: 'the servers to go' });
  });

  it('its settings entry is opened at the right place by a command', async () => {
    await configure({ alpha: fixture('hostile'), beta: { command: 5 } }, vscode.ConfigurationTarget.Workspace);
    const server = await reaches('beta', 'failed');
    await vscode.commands.executeCommand('mcpHost.openServerSettings', { server });
    await eventually(() => {
      const editor = vscode.window.activeTextEditor!;
      assert.equal(editor.document.uri.path, settingsFile().path);
      assert.equal(editor.document.getText(editor.selection), '5');
    });
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
  });
});

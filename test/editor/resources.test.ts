import * as assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isActedOn, nameToOpen } from '../../src/editor/openedAs';
import { resourceFileName } from '../../src/features/resources/core/fileName';
import { encodeAddress, parseResourceUri } from '../../src/features/resources/core/resourceAddress';
import { urisOf } from '../../src/features/resources/openResources';
import type { ResourceNode } from '../../src/features/resources/resourceItems';
import { ResourcesTree } from '../../src/features/resources/resourcesTree';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { fixturePath, waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import { randomUris } from '../unit/editor/randomUris';
import {
  api,
  closeEditors,
  configure,
  eventually,
  fixture,
  loads,
  nothingWatched,
  passes,
  raw,
  reaches,
  resourceUri,
  run,
} from './window';

const { fs } = vscode.workspace;
const demo = () => run(inRepository('dist/demo-server.js'));
const oddUri = 'content://odd/Größe und Maß/日本 語.txt?version=1&note=a b';

/** The editor URI of a resource of a server, as its row has it. */
function uriOf(server: ServerConnection, uri: string): vscode.Uri {
  return resourceUri(server.id, listed(server, uri));
}

function listed(server: ServerConnection, uri: string) {
  return server.catalog.resources.find(resource => resource.uri === uri) ?? { uri, name: '' };
}

/** Chooses a resource as a click on its row does. */
async function open(server: ServerConnection, uri: string): Promise<void> {
  await vscode.commands.executeCommand('mcpHost.openResource', { server, resource: listed(server, uri) });
}

const activeInput = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
const documentOf = (uri: vscode.Uri) =>
  vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString());

async function textOf(uri: vscode.Uri): Promise<string> {
  return Buffer.from(await fs.readFile(uri)).toString();
}

/** The rows of the Resources view, indented, and those that are open when it is first shown. */
async function outline(): Promise<string[]> {
  const { servers } = await api();
  const tree = new ResourcesTree(servers, { watched: nothingWatched });
  const walk = (node: ResourceNode, depth: number): string[] => {
    const { label, description } = tree.getTreeItem(node);
    const line = `${'  '.repeat(depth)}${label}${description ? ` (${description})` : ''}`;
    return [line, ...tree.getChildren(node).flatMap(child => walk(child, depth + 1))];
  };
  try {
    return tree.getChildren().flatMap(node => walk(node, 0));
  } finally {
    tree.dispose();
  }
}

describe('resources in the editor', () => {
  let content: ServerConnection;
  before(async () => {
    await configure({ content: fixture('content') });
    content = await loads('content');
  });
  afterEach(closeEditors);
  after(() => configure(undefined));

  it('have an editor URI that survives the editor unchanged, for 10,000 random ones', () => {
    for (const uri of randomUris(10_000)) {
      const serverId = uri.length % 2 === 0 ? 'Server 1' : uri;
      const made = resourceUri(serverId, { uri, name: uri });
      for (const back of [made, vscode.Uri.parse(made.toString()), vscode.Uri.from(made.toJSON())]) {
        assert.deepEqual(parseResourceUri(back), { serverId, uri });
      }
      assert.equal(made.with({ path: made.path }).toString(), made.toString());
      assert.deepEqual(parseResourceUri(vscode.Uri.joinPath(made, '..', 'x')), { serverId, uri });
    }
  });

  it('have no row for a server that offers neither these nor templates', async () => {
    await configure({ content: fixture('content'), none: fixture('hostile', '--list-type=[]') });
    try {
      const none = await loads('none');
      assert.deepEqual(none.catalog.list('resources').items, []);
      const rows = await outline();
      assert.ok(rows.some(row => row.startsWith('content')));
      assert.deepEqual(
        rows.filter(row => row.startsWith('none')),
        [],
      );
    } finally {
      await configure({ content: fixture('content') });
    }
  });

  it('open as read-only text in their language, with JSON formatted', async () => {
    const languages: [string, string, RegExp, string?][] = [
      ['content://code/greeting', 'mcp-host-typescript', /^export const greeting/, '.mcp'],
      ['content://docs/guide.md', 'mcp-host-markdown', /^# Guide/, '.mcp'],
      ['content://data/minified', 'jsonl', /^\{\n {2}"name": "content",\n/, '.jsonl'],
      ['memo:today', 'plaintext', /^A memo/],
      [oddUri, 'plaintext', /^Odd address/],
    ];
    for (const [uri, language, text, ending = ''] of languages) {
      await open(content, uri);
      const { activeTextEditor } = vscode.window;
      assert.ok(activeTextEditor, uri);
      assert.match(activeTextEditor.document.getText(), text);
      assert.equal(activeTextEditor.document.languageId, language, uri);
      await eventually(() => {
        const name = resourceFileName(listed(content, uri)) + ending;
        assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, name);
        assert.ok(activeInput() instanceof vscode.TabInputText);
      });
    }
  });

  it("open as pictures in the editor's preview", async () => {
    await open(content, 'content://images/chequered.png');
    await waitFor(() => activeInput() instanceof vscode.TabInputCustom, { what: 'the preview' });
    assert.equal((activeInput() as vscode.TabInputCustom).viewType, 'imagePreview.previewEditor');
  });

  it('open as bytes in a hex view when no other editor can show them', async () => {
    await open(content, 'content://binary/bytes.bin');
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^00000000 {2}00 01 02 03 04 05 06 07 {2}08 09 0a 0b 0c 0d 0e 0f {2}\.{16}\n/);
    assert.equal(text.trimEnd().split('\n').length, 16);
  });

  it('have the size that reading gives, with and without a size in the list', async () => {
    for (const { uri } of content.catalog.resources.filter(({ uri: one }) => !/broken|several/.test(one))) {
      const file = uriOf(content, uri);
      const before = await fs.stat(file);
      const bytes = await fs.readFile(file);
      const after = await fs.stat(file);
      assert.equal(before.size, bytes.length, uri);
      assert.equal(after.size, bytes.length, uri);
      assert.equal(before.type, vscode.FileType.File);
    }
  });

  it('cannot be written, renamed or deleted', async () => {
    const file = uriOf(content, 'memo:today');
    assert.equal(fs.isWritableFileSystem('mcp'), false);
    const attempts = [
      fs.writeFile(file, new Uint8Array()),
      fs.delete(file),
      fs.rename(file, file.with({ path: `${file.path}2` })),
      fs.createDirectory(file.with({ path: '/new' })),
    ];
    for (const attempt of attempts) await assert.rejects(async () => attempt);
    assert.equal(await textOf(file), 'A memo for today.\n');
  });

  it('name the reason on failure: denied, unknown server, invalid address', async () => {
    const rejects = (uri: vscode.Uri, pattern: RegExp) => assert.rejects(async () => fs.readFile(uri), pattern);
    await rejects(
      uriOf(content, 'content://broken/missing.txt'),
      /"content" could not read .*missing\.txt.*not found/i,
    );
    await rejects(resourceUri('unheard-of', { uri: 'x:y' }), /"unheard-of" could not read x:y: it is not configured/);
    await rejects(vscode.Uri.parse('mcp://content/a/b/c/d'), /not.?found|nonexistent/i);
    await rejects(vscode.Uri.parse('mcp://content/a/b/c'), /only a file names/);
  });

  it('are not read where only a file of the workspace names an address, as a schema that the editor loads @resources.not-read-address', async () => {
    const { servers } = await api();
    const address = 'content://unlisted/at-will';
    const parts = encodeAddress({ serverId: 'content', uri: address }, 'schema.json.jsonl');
    const schema = vscode.Uri.from({ scheme: 'mcp', ...parts });
    const asked = () =>
      servers.trace!.records().filter(({ text }) => text.includes('resources/read') && text.includes('at-will')).length;
    await assert.rejects(async () => vscode.workspace.openTextDocument(schema), /only a file names/);
    await assert.rejects(async () => fs.stat(schema), /only a file names/);
    await assert.rejects(
      async () => vscode.workspace.openTextDocument(schema.with({ scheme: 'mcp-hex', path: `${schema.path}.hex` })),
      /only a file names/,
    );
    await open(content, 'content://docs/guide.md');
    const { uri } = vscode.window.activeTextEditor!.document;
    for (const other of [uri.with({ query: '' }), uri.with({ query: '', path: uri.path.replace('.md', '.txt') })])
      await assert.rejects(async () => vscode.workspace.openTextDocument(other), /only a file names/);
    for (const name of ['a.zzz', 'a.md'])
      await assert.rejects(async () =>
        vscode.workspace.openTextDocument(vscode.Uri.from({ ...parts, scheme: 'mcp-hex', path: `/x/${name}` })),
      );
    assert.equal(asked(), 0);
    await vscode.commands.executeCommand('vscode.open', schema);
    await waitFor(() => asked() > 0, { what: 'the request of the tab that takes its place' });
    const shown = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .flatMap(urisOf)
        .map(String);
    await waitFor(() => !shown().includes(String(schema)) && shown().some(one => one.startsWith(String(schema))), {
      what: 'the other tab alone',
    });
    await assert.rejects(async () => vscode.workspace.openTextDocument(schema), /only a file names/);
    await closeEditors();
  });

  it('have the text that the server sent where its bytes are not base64', async () => {
    assert.equal(await textOf(uriOf(content, 'content://broken/base64.bin')), '%%% not base64 %%%');
  });

  it('show an error and no editor when unreadable', async () => {
    await waitFor(() => activeInput() === undefined, { what: 'the editors of other tests to be closed' });
    await open(content, 'content://broken/missing.txt');
    assert.equal(activeInput(), undefined);
  });

  it('are in the tree of their server, in folders by their URIs', async () => {
    const rows = await outline();
    assert.equal(rows[0], 'content (15)');
    for (const row of ['  content://docs', '    Guide (guide.md)', '    All 256 bytes (bytes.bin · 256 B)', '  memo:'])
      assert.ok(rows.includes(row), `${row} is missing in:\n${rows.join('\n')}`);
  });
});

describe('an editor on a resource', () => {
  afterEach(async () => {
    await closeEditors();
    await configure(undefined);
  });

  it('waits for a server that is starting', async () => {
    const uri = resourceUri('late', { uri: 'memo:today', name: 'today' });
    const document = await passes('late', 'starting', {
      when: () => configure({ late: fixture('content') }),
      look: async () => vscode.workspace.openTextDocument(uri),
    });
    assert.equal(document.getText(), 'A memo for today.\n');
  });

  it('that failed fills in when its server works', async () => {
    const broken = { command: 'no-such-command-anywhere' };
    await configure({ mended: broken });
    await reaches('mended', 'failed');
    const uri = resourceUri('mended', { uri: 'memo:today', name: 'today' });
    await vscode.commands.executeCommand('vscode.open', uri);
    await waitFor(() => activeInput() instanceof vscode.TabInputText, { what: 'the tab of the failed editor' });
    assert.equal(documentOf(uri), undefined);
    await configure({ mended: fixture('content') });
    await reaches('mended', 'ready');
    await waitFor(() => documentOf(uri)?.getText() === 'A memo for today.\n', { what: 'the editor to fill in' });
  });

  it('are not given at an address that opens as a notebook or in an editor of its own', async () => {
    await configure({ content: fixture('content') });
    const uri = uriOf(await loads('content'), oddUri);
    const named = (name: string) => uri.with({ path: uri.path.replace(/[^/]*$/, name) });
    assert.ok(await textOf(named('other.txt')));
    // The viewer of profiles comes with the editor, but not with all test windows.
    const profiles = vscode.extensions.getExtension('ms-vscode.vscode-js-profile-table') ? ['a.cpuprofile'] : [];
    for (const name of ['a.ipynb', 'a.IPYNB', 'a.svg', ...profiles]) {
      await assert.rejects(async () => fs.readFile(named(name)), /would do more than show/);
      await vscode.commands.executeCommand('vscode.open', named(name)).then(undefined, () => {});
    }
    assert.deepEqual(vscode.workspace.notebookDocuments, []);
    await closeEditors();
  });

  it('open in languages that are only coloured, whatever their names are', async () => {
    const code = 'a = 1\n';
    const opened: [name: string, text: string, as: string, language: string][] = [
      ['package.json', '{"$schema":"https://example.com/schema.json"}', 'package.json.jsonl', 'jsonl'],
      ['report.ipynb', '{}', 'report.ipynb.jsonl', 'jsonl'],
      ['main.py', code, 'main.py.mcp', 'mcp-host-python'],
      ['long.py', `a = "${'a'.repeat(600)}"`, 'long.py.txt', 'plaintext'],
      ['Program.cs', code, 'Program.cs.txt', 'plaintext'],
      ['Dockerfile', code, '_Dockerfile.txt', 'plaintext'],
      ['SKILL.md', 'Text', 'SKILL.md.mcp', 'mcp-host-markdown'],
      ['README', code, 'README', 'plaintext'],
      ['run', '#!/usr/bin/env python\n', 'run.txt', 'plaintext'],
      ['cloud', '#cloud-config\n', 'cloud.txt', 'plaintext'],
      ['Main.odd', code, 'Main.odd', 'plaintext'],
      ['Main.mcp', code, 'Main.mcp.txt', 'plaintext'],
      ['a.log', code, 'a.log', 'log'],
      ['readme.md', 'Text', 'readme.md.mcp', 'mcp-host-markdown'],
      ['x.prompt.md', 'Text', 'x.prompt.md.mcp', 'mcp-host-markdown'],
    ];
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-host-'));
    try {
      for (const [name, text, as, language] of opened) {
        const of = { server: 'content', text: () => text };
        assert.equal(nameToOpen(name, of), as);
        assert.equal(isActedOn(`/${name}`, of), name !== as, name);
        const file = vscode.Uri.file(path.join(folder, as));
        await fs.writeFile(file, Buffer.from(text));
        assert.equal((await vscode.workspace.openTextDocument(file)).languageId, language, name);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are not given by names that settings of the workspace make JSON, markdown or those of another editor', async () => {
    await configure({ content: fixture('content') });
    const uri = uriOf(await loads('content'), 'content://docs/guide.md');
    const named = (name: string) => uri.with({ path: uri.path.replace(/[^/]*$/, name) });
    const settings = vscode.workspace.getConfiguration();
    const { Workspace } = vscode.ConfigurationTarget;
    const passes = async (name: string) =>
      fs.readFile(named(name)).then(
        () => true,
        () => false,
      );
    assert.equal(await passes('a.odd'), true);
    try {
      await settings.update('workbench.editorAssociations', { '*.odd': 'vscode.markdown.preview.editor' }, Workspace);
      await waitFor(async () => !(await passes('a.odd')), { what: 'the setting' });
      await settings.update('workbench.editorAssociations', { 'b.odd ': 'x', '**/a.odd*': 'x' }, Workspace);
      await waitFor(async () => passes('c.odd'), { what: 'the other patterns' });
      assert.deepEqual(await Promise.all(['a.odd', 'a.odd2', 'b.odd'].map(passes)), [false, false, false]);
    } finally {
      await settings.update('workbench.editorAssociations', undefined, Workspace);
    }
    await waitFor(() => passes('a.odd'), { what: 'the setting to be gone' });
    try {
      await settings.update('files.associations', { '.oddrc*': 'jsonc', '*.odd*': 'jsonc' }, Workspace);
      await waitFor(async () => !(await passes('.oddrc.2')), { what: 'the associations' });
      assert.deepEqual(await Promise.all(['a.odds', 'a.txt', 'a.md'].map(passes)), [false, true, false]);
      const spaced = {
        ' *.txt': 'json',
        '{*.csv }': 'json',
        '**/*.tsv': 'json',
        '**/a/b*.log': 'json',
        '*.mov': 'json',
        '*.png': 'json',
      };
      await settings.update('files.associations', spaced, Workspace);
      await waitFor(() => isActedOn('/a.txt', { server: 'content' }), { what: 'the association' });
      assert.deepEqual(
        ['/x/a.csv ', '/a.tsv', '/a/b.log', '/a.mov', '/a.png', '/c.log', '/a.md.mcp', '/a.jpg', '/a.mp4'].map(path =>
          isActedOn(path, { server: 'content' }),
        ),
        [true, true, true, true, true, false, false, false, false],
      );
      for (const odd of [
        '*.x{',
        '{a,{b,c}}',
        '?.x',
        '**/*.x/',
        '**/{a/}',
        '**/',
        '**/{,a}',
        '**/x/**',
        'x**/y',
        '[a].x',
        'MCP:/**/x',
        '{a,b}'.repeat(30),
      ]) {
        await settings.update('files.associations', { [odd]: 'json' }, Workspace);
        await waitFor(() => isActedOn('/a.txt', { server: 'content' }), { what: `${odd} to stand for all names` });
        await settings.update('files.associations', { [odd]: 'plaintext' }, Workspace);
        await waitFor(() => !isActedOn('/a.txt', { server: 'content' }), { what: `${odd} to be harmless` });
      }
      const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`*.${at}`, 'plaintext']));
      await settings.update('files.associations', many, Workspace);
      await waitFor(() => isActedOn('/a.txt', { server: 'content' }), { what: 'too many to stand for all names' });
      await settings.update('files.associations', { '*.txt': 'markdown' }, Workspace);
      const confinedOrLong = { server: 'content', text: () => 'a'.repeat(60_000) };
      await waitFor(() => !isActedOn('/a.tsv', confinedOrLong), { what: 'the association' });
      assert.deepEqual(
        ['a.txt', 'a.md', 'a.cs'].map(name => nameToOpen(name, confinedOrLong)),
        ['_a.txt.jsonl', 'a.md.mcp', '_a.cs.jsonl'],
      );
    } finally {
      await settings.update('files.associations', undefined, Workspace);
    }
    await waitFor(() => !isActedOn('/a.txt', { server: 'content' }), { what: 'the associations to be gone' });
  });

  it('have a preview of their markdown unless they are long, which would stop the process of all extensions', async () => {
    await configure({ notebook: demo() });
    const notebook = await loads('notebook');
    const args = { name: 'long', text: 'word '.repeat(12_000) };
    const added = await raw(notebook).request('call add_note', (client, options) =>
      client.callTool({ name: 'add_note', arguments: args }, options),
    );
    assert.ok(!added.isError, JSON.stringify(added));
    await vscode.commands.executeCommand('mcpHost.refreshResources', { server: notebook });
    const long = () => notebook.catalog.resources.find(({ uri }) => uri.includes('long'));
    await waitFor(() => long() !== undefined, { what: 'the note' });
    const { uri } = long()!;
    await open(notebook, uri);
    const { document } = vscode.window.activeTextEditor!;
    assert.match(document.uri.path, /long\.md\.mcp$/);
    const named = (name: string) => document.uri.with({ path: document.uri.path.replace(/[^/]*$/, name) });
    for (const name of ['long.md', 'long.prompt.md'])
      await assert.rejects(async () => fs.readFile(named(name)), /would do more than show/);
    await vscode.commands.executeCommand('mcpHost.previewMarkdown', document.uri).then(undefined, () => {});
    assert.ok(activeInput() instanceof vscode.TabInputText);
    await open(notebook, 'notebook:///readme.md');
    await vscode.commands.executeCommand('mcpHost.previewMarkdown');
    await waitFor(() => activeInput() instanceof vscode.TabInputWebview, { what: 'the preview' });
    const isCopied = () => vscode.workspace.textDocuments.some(({ uri: copy }) => copy.scheme === 'mcp-preview');
    await waitFor(isCopied, { what: 'the preview to be of a copy' });
    await closeEditors();
  });

  it('follows its resource when it is refreshed, and when the server returns', async () => {
    await configure({ notebook: demo() });
    const notebook = await loads('notebook');
    await open(notebook, 'notebook:///log.txt');
    const { document } = vscode.window.activeTextEditor!;
    const before = document.getText();
    const callTool = (text: string) =>
      raw(notebook).request('call add_note', (client, options) =>
        client.callTool({ name: 'add_note', arguments: { name: `note-${text}`, text } }, options),
      );
    await callTool('one');
    await vscode.commands.executeCommand('mcpHost.refreshResources', { server: notebook });
    await waitFor(() => document.getText().includes('note-one'), { what: 'the log to show the note' });
    await notebook.restart('a test');
    await waitFor(() => document.getText() === before, { what: 'the log of the new session' });
  });

  it('reads resources of the demo, of server-everything and of a server with 2,500', async () => {
    await configure({
      notebook: demo(),
      everything: run(npmServerPath('everything'), 'stdio'),
      hostile: run(fixturePath('hostile'), '--resources=2500'),
    });
    for (const id of ['notebook', 'everything', 'hostile']) {
      const server = await loads(id);
      assert.ok(server.catalog.resources.length >= 7);
      for (const { uri } of server.catalog.resources.slice(0, 20)) {
        const file = uriOf(server, uri);
        const [stat, bytes] = await Promise.all([fs.stat(file), fs.readFile(file)]);
        assert.ok(bytes.length > 0 || uri.endsWith('log.txt'), uri);
        assert.equal((await fs.stat(file)).size, bytes.length, uri);
        assert.ok(stat.size >= 0);
      }
    }
    const rows = await outline();
    assert.ok(
      rows.includes('  archive') && rows.some(row => row.startsWith('hostile (2500)')),
      rows.slice(0, 20).join('\n'),
    );
  });
});

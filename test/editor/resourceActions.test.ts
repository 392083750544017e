import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseResourceUri } from '../../src/features/resources/core/resourceAddress';
import { UriTemplate } from '../../src/features/resources/core/uriTemplate';
import { templatesFor } from '../../src/features/resources/openTemplate';
import { ResourceDrop } from '../../src/features/resources/resourceDrop';
import type { ResourceNode } from '../../src/features/resources/resourceItems';
import { ResourceDrag } from '../../src/features/resources/resources';
import { ResourcesTree } from '../../src/features/resources/resourcesTree';
import { markdownLink, resourceUri } from '../../src/features/resources/resourceTarget';
import { TemplateMemory } from '../../src/features/resources/templateMemory';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import { MemoryMemento } from '../unit/editor/resources/memoryMemento';
import { api, closeEditors, configure, fixture, loads, run } from './window';

const { fs } = vscode.workspace;
const several = { uri: 'content://several/three', name: 'three' };
const templateNamed = (server: ServerConnection, name: string) =>
  server.catalog.resourceTemplates.find(template => template.name === name)!;

/** The tree with a memory of its own. */
async function ownTree() {
  const { servers } = await api();
  const memory = new TemplateMemory(new MemoryMemento());
  const tree = new ResourcesTree(servers, { memory });
  const outline = (node?: ResourceNode, depth = 0): string[] => {
    const label = node ? [`${'  '.repeat(depth - 1)}${String(tree.getTreeItem(node).label)}`] : [];
    return [...label, ...tree.getChildren(node).flatMap(child => outline(child, depth + 1))];
  };
  const find = (server: ServerConnection, uri: string, node?: ResourceNode): ResourceNode | undefined => {
    const children = tree.getChildren(node);
    const isIt = (child: ResourceNode) =>
      (child.type === 'resource' || child.type === 'recent') && child.server === server && child.resource.uri === uri;
    return children.find(isIt) ?? children.map(child => find(server, uri, child)).find(found => found !== undefined);
  };
  return { tree, memory, outline, find };
}

describe('resource actions:', () => {
  let content: ServerConnection;
  let notebook: ServerConnection;
  before(async () => {
    await configure({ content: fixture('content'), notebook: run(inRepository('dist/demo-server.js')) });
    content = await loads('content');
    notebook = await loads('notebook');
  });
  afterEach(closeEditors);
  after(() => configure(undefined));

  it('several contents form a directory with a file for each', async () => {
    const folder = resourceUri(content.id, several);
    assert.equal((await fs.stat(folder)).type, vscode.FileType.Directory);
    const entries = await fs.readDirectory(folder);
    assert.deepEqual(
      entries.map(([name]) => name),
      ['first.txt', 'second.json', 'third.png'],
    );
    for (const [name, type] of entries) {
      const file = vscode.Uri.joinPath(folder, name);
      assert.equal(type, vscode.FileType.File);
      assert.deepEqual(parseResourceUri(file), { serverId: content.id, uri: several.uri, part: name });
      assert.equal((await fs.stat(file)).size, (await fs.readFile(file)).length);
    }
    const json = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'second.json'));
    assert.equal(json.languageId, 'json');
    await assert.rejects(async () => fs.readFile(folder), /IsADirectory/);
    await assert.rejects(async () => fs.readFile(vscode.Uri.joinPath(folder, 'none.txt')), /has no such content/);
    await assert.rejects(async () => fs.stat(vscode.Uri.joinPath(folder, 'none.txt')));
    await assert.rejects(async () => fs.readDirectory(vscode.Uri.joinPath(folder, 'first.txt')));
    await assert.rejects(async () => fs.writeFile(vscode.Uri.joinPath(folder, 'new.txt'), new Uint8Array()));
  });

  it('a part opens, with the URI that the server gave it', async () => {
    const target = { server: content, resource: several, part: 'first.txt' };
    assert.equal(await vscode.commands.executeCommand('mcpHost.openResource', target), true);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'The first');
    await vscode.commands.executeCommand('mcpHost.copyResourceUri');
    assert.equal(await vscode.env.clipboard.readText(), 'content://several/three/first.txt');
  });

  it('templates, and resources opened through them, have rows', async () => {
    const { tree, memory, outline, find } = await ownTree();
    const month = { uri: 'notebook:///archive/2024/03', name: '03.md', mimeType: 'text/markdown' };
    await memory.remember('notebook', 'notebook:///archive/{year}/{month}', { year: '2024', month: '03' }, month);
    const rows = outline();
    const start = rows.indexOf('  Templates', rows.indexOf('notebook'));
    assert.deepEqual(rows.slice(start, start + 5), [
      '  Templates',
      '    Note',
      '    Archive month',
      '      2024/03',
      '    Archive entry',
    ]);
    const recent = find(notebook, month.uri)!;
    const opened = await vscode.commands.executeCommand('mcpHost.openResource', recent);
    assert.equal(opened, true);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^# 2024-03/);
    tree.dispose();
  });

  it('a broken template is reported with server and remedy', () => {
    const templates = templatesFor(new TemplateMemory(new MemoryMemento()), { read: assert.fail });
    const cases: [string, RegExp][] = [
      ['x:/{open', /Could not fill in odd of "content".*\{open is invalid: the "\{" at position 4 is not closed/],
      ['x:/}', /closes nothing/],
      ['x:/{}', /names no variable/],
      ['x:/{\u202eevil}{', /⟨U\+202E⟩evil/],
    ];
    for (const [uriTemplate, pattern] of cases) {
      const target = { server: content, template: { uriTemplate, name: 'odd' } };
      assert.throws(() => templates.parse(target), pattern, uriTemplate);
    }
  });

  it('a markdown link uses our scheme, and its label is no markup', () => {
    const resource = { uri: 'https://evil.example/a b)(x', name: 'a](command:x) *b* <img>\u202e\n`c`' };
    const link = markdownLink({ server: content, resource });
    assert.match(
      link,
      /^\[a\\\]\(command:x\) \\\*b\\\* \\<img\\>⟨U\+202E⟩ \\`c\\`\]\(mcp:\/\/content\/[^\s()[\]<>]+\)$/,
    );
    const target = vscode.Uri.parse(/\((mcp:[^)]*)\)$/.exec(link)![1]!);
    assert.deepEqual(parseResourceUri(target), { serverId: content.id, uri: resource.uri });
  });

  it('a resource dragged into text becomes a link or its text; other drags are ignored', async () => {
    const { servers } = await api();
    const { tree, find } = await ownTree();
    const drop = new ResourceDrop(servers);
    const { token } = new vscode.CancellationTokenSource();
    const editsOf = async (language: string, ...uris: string[]) => {
      const data = new vscode.DataTransfer();
      const rows = uris.map(uri => find(content, uri)!);
      new ResourceDrag(resourceUri).handleDrag(rows, data);
      const document = await vscode.workspace.openTextDocument({ language, content: '' });
      const edits = await drop.provideDocumentDropEdits(document, new vscode.Position(0, 0), data, token);
      return edits?.map(({ insertText }) => String(insertText));
    };
    const [link, text] = (await editsOf('markdown', 'content://docs/guide.md')) ?? [];
    assert.match(link ?? '', /^\[Guide\]\(mcp:\/\/content\//);
    assert.match(text ?? '', /^# Guide\n/);
    const [plain] = (await editsOf('plaintext', 'content://docs/guide.md', 'memo:today')) ?? [];
    assert.deepEqual(
      plain?.split('\n').map(line => parseResourceUri(vscode.Uri.parse(line))?.uri),
      ['content://docs/guide.md', 'memo:today'],
    );
    assert.equal((await editsOf('markdown', 'content://binary/bytes.bin'))?.length, 1);
    const foreign = new vscode.DataTransfer();
    foreign.set('text/uri-list', new vscode.DataTransferItem('file:///etc/passwd\r\nhttps://x.example'));
    const document = await vscode.workspace.openTextDocument({ content: '' });
    assert.equal(await drop.provideDocumentDropEdits(document, new vscode.Position(0, 0), foreign, token), undefined);
    tree.dispose();
  });

  it('templates of the demo and of server-everything expand to URIs that these servers accept', async () => {
    await configure({
      notebook: run(inRepository('dist/demo-server.js')),
      everything: run(npmServerPath('everything'), 'stdio'),
    });
    const everything = await loads('everything');
    const cases: [ServerConnection, string, Record<string, string>][] = [
      [await loads('notebook'), 'archive-month', { year: '2026', month: '01' }],
      ...everything.catalog.resourceTemplates.map(({ name }): [ServerConnection, string, Record<string, string>] => [
        everything,
        name,
        { resourceId: '1' },
      ]),
    ];
    assert.ok(cases.length >= 3);
    for (const [server, name, values] of cases) {
      const uri = new UriTemplate(templateNamed(server, name).uriTemplate).expand(values);
      const bytes = await fs.readFile(resourceUri(server.id, { uri, name }));
      assert.ok(bytes.length > 0, uri);
    }
    await waitFor(() => everything.state.kind === 'ready', { what: 'the server to stay ready' });
  });
});

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseResourceUri } from '../../src/features/resources/core/resourceAddress';
import type { ResourceNode } from '../../src/features/resources/core/resourceNodes';
import { UriTemplate } from '../../src/features/resources/core/templates/uriTemplate';
import { ResourceDrag } from '../../src/features/resources/drag';
import { ResourceDrop } from '../../src/features/resources/drop';
import { markdownLink } from '../../src/features/resources/resourceLinks';
import { ResourceOrder } from '../../src/features/resources/resourceOrder';
import { ResourcesTree } from '../../src/features/resources/resourcesTree';
import { resourceUri } from '../../src/features/resources/resourceUri';
import { openTemplateCommand } from '../../src/features/resources/templates/openTemplate';
import { TemplateMemory } from '../../src/features/resources/templates/templateMemory';
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

/** The tree with a memory and an order of its own. */
async function ownTree() {
  const { servers } = await api();
  const memento = new MemoryMemento();
  const [memory, order] = [new TemplateMemory(memento), new ResourceOrder(memento)];
  const tree = new ResourcesTree(servers, { memory, order });
  const outline = (node?: ResourceNode, depth = 0): string[] => {
    const label = node ? [`${'  '.repeat(depth - 1)}${String(tree.getTreeItem(node).label)}`] : [];
    return [...label, ...tree.getChildren(node).flatMap(child => outline(child, depth + 1))];
  };
  return { tree, memory, order, outline };
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
    const { tree, memory, outline } = await ownTree();
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
    const recent = tree.find(notebook, month.uri)!;
    const opened = await vscode.commands.executeCommand('mcpHost.openResource', recent);
    assert.equal(opened, true);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^# 2024-03/);
    const fired = new Promise(resolve => tree.onDidChangeTreeData(resolve));
    await memory.forget('notebook', 'notebook:///archive/{year}/{month}', month.uri);
    await fired;
    assert.ok(!outline().includes('      2024/03'));
    tree.dispose();
  });

  it('every row of a resource can be revealed with its parents', async () => {
    const { tree } = await ownTree();
    for (const server of [content, notebook]) {
      for (const { uri } of server.catalog.resources.slice(0, 50)) {
        let row = tree.find(server, uri);
        assert.ok(row?.type === 'resource' && row.resource.uri === uri, uri);
        let above = tree.getParent(row);
        while (above) [row, above] = [above, tree.getParent(above)];
        assert.ok(row.type === 'server' && row.server === server);
      }
    }
    assert.equal(tree.find(content, 'no:such'), undefined);
    tree.dispose();
  });

  it('the tree sorts by the chosen order, and remembers it', async () => {
    const { tree, order, outline } = await ownTree();
    const rowsOf = () => outline().filter(row => /^ {2}(Read me first|Project|Log of|Cover)/.test(row));
    assert.deepEqual(rowsOf(), ['  Cover', '  Log of this session', '  Project', '  Read me first']);
    const fired = new Promise(resolve => tree.onDidChangeTreeData(resolve));
    await order.set('priority');
    await fired;
    assert.deepEqual(rowsOf(), ['  Read me first', '  Project', '  Log of this session', '  Cover']);
    tree.dispose();
  });

  it('a broken or excessive template is reported with server and remedy', async () => {
    const { servers } = await api();
    const memory = new TemplateMemory(new MemoryMemento());
    const many = Array.from({ length: 100 }, (_, index) => `{v${index}}`).join('/');
    const cases: [string, RegExp][] = [
      ['x:/{open', /Could not fill in odd of "content".*\{open is invalid: the "\{" at position 4 is not closed/],
      ['x:/}', /closes nothing/],
      ['x:/{}', /names no variable/],
      ['x:/{\u202eevil}{', /⟨U\+202E⟩evil/],
      [`x:/${many}`, /100 variables.*Read Resource/],
    ];
    for (const [uriTemplate, pattern] of cases) {
      const target = { server: content, template: { uriTemplate, name: 'odd' } };
      await assert.rejects(openTemplateCommand(servers, memory, target), pattern, uriTemplate);
    }
  });

  it('a template without variables opens immediately', async () => {
    const { servers } = await api();
    const memory = new TemplateMemory(new MemoryMemento());
    const template = { uriTemplate: 'memo:today', name: 'fixed' };
    await openTemplateCommand(servers, memory, { server: content, template });
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'A memo for today.\n');
    assert.deepEqual(
      memory.recent('content', 'memo:today').map(({ uri }) => uri),
      ['memo:today'],
    );
  });

  it('a resource that the server denies is not added to the recent ones', async () => {
    const { servers } = await api();
    const memory = new TemplateMemory(new MemoryMemento());
    const template = { uriTemplate: 'content://broken/missing.txt', name: 'fixed' };
    await openTemplateCommand(servers, memory, { server: content, template });
    assert.deepEqual(memory.recent('content', template.uriTemplate), []);
  });

  it('a markdown link uses our scheme, and its label is no markup', async () => {
    const { servers } = await api();
    const resource = { uri: 'https://evil.example/a b)(x', name: 'a](command:x) *b* <img>\u202e\n`c`' };
    const link = markdownLink({ server: content, resource });
    assert.match(
      link,
      /^\[a\\\]\(command:x\) \\\*b\\\* \\<img\\>⟨U\+202E⟩ \\`c\\`\]\(mcp:\/\/content\/[^\s()[\]<>]+\)$/,
    );
    const target = vscode.Uri.parse(/\((mcp:[^)]*)\)$/.exec(link)![1]!);
    assert.deepEqual(parseResourceUri(target), { serverId: content.id, uri: resource.uri });
    await vscode.commands.executeCommand('mcpHost.copyResourceLink', { server: content, resource: several });
    assert.match(await vscode.env.clipboard.readText(), /^\[three\]\(mcp:\/\/content\//);
    assert.ok(servers.all.length > 0);
  });

  it('a resource dragged into text becomes a link or its text; other drags are ignored', async () => {
    const { servers } = await api();
    const { tree } = await ownTree();
    const drop = new ResourceDrop(servers);
    const { token } = new vscode.CancellationTokenSource();
    const editsOf = async (language: string, ...uris: string[]) => {
      const data = new vscode.DataTransfer();
      const rows = uris.map(uri => tree.find(content, uri)!);
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

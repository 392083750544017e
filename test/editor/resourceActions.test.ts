import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseResourceUri } from '../../src/features/resources/core/resourceAddress';
import { ResourceDrop } from '../../src/features/resources/resourceDrop';
import { ResourceDrag } from '../../src/features/resources/resources';
import { markdownLink } from '../../src/features/resources/resourceTarget';
import type { ServerConnection } from '../../src/host';
import { ownTree } from './ownResourcesTree';
import { api, closeEditors, configure, fixture, loads, resourceUri } from './window';

const { fs } = vscode.workspace;
const several = { uri: 'content://several/three', name: 'three' };

describe('resource actions:', () => {
  let content: ServerConnection;
  before(async () => {
    await configure({ content: fixture('content') });
    content = await loads('content');
  });
  afterEach(closeEditors);
  after(() => configure(undefined));

  it('several contents form a directory with a file for each', async () => {
    const folder = resourceUri(content.id, several);
    assert.equal((await fs.stat(folder)).type, vscode.FileType.Directory);
    const entries = await fs.readDirectory(folder);
    assert.deepEqual(
      entries.map(([name]) => name),
      ['first.txt', 'second.json.jsonl', 'third.png'],
    );
    for (const [name, type] of entries) {
      const file = vscode.Uri.joinPath(folder, name);
      assert.equal(type, vscode.FileType.File);
      assert.deepEqual(parseResourceUri(file), { serverId: content.id, uri: several.uri, part: name });
      assert.equal((await fs.stat(file)).size, (await fs.readFile(file)).length);
    }
    const json = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'second.json.jsonl'));
    assert.equal(json.languageId, 'jsonl');
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
});

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TextDocuments } from '../../src/editor/textDocuments';
import { folderStat, isOwnUri, ownUri, VirtualFiles } from '../../src/editor/virtualFiles';

const TEXT = '{"title": "what a server sent"}';

class Files extends VirtualFiles {
  stat(): vscode.FileStat {
    return { ...folderStat, type: vscode.FileType.File, size: TEXT.length };
  }

  protected bytesOf(): Uint8Array {
    return Buffer.from(TEXT);
  }
}

describe('documents of the window', () => {
  it('are read at their own address, and not at one that a file of the workspace can name, as a schema @resources.not-read-document', async () => {
    const files = new Files('mcp-test-file', {}, () => false);
    const texts = new TextDocuments('mcp-test-text');
    try {
      const of = ownUri({ scheme: 'mcp-test-file', authority: 'some', path: '/1/a.jsonl' });
      const text = texts.add('a.jsonl', TEXT);
      for (const uri of [of, text]) {
        assert.ok(isOwnUri(uri));
        for (const query of ['', 'a', '0'.repeat(36)])
          await assert.rejects(async () => vscode.workspace.openTextDocument(uri.with({ query })), String(uri));
        assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), TEXT);
      }
      // Whoever makes an address in another way sees that nothing opens.
      const other = vscode.Uri.from({ scheme: 'mcp-test-text', path: '/2/b.jsonl' });
      texts.set(other, TEXT);
      await assert.rejects(async () => vscode.workspace.openTextDocument(other));
    } finally {
      files.dispose();
      texts.dispose();
    }
  });
});

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('activation', () => {
  it('starts with the window, without anything being asked of it', async () => {
    const extension = vscode.extensions.getExtension('mcp-host.mcp-host');
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    assert.ok(extension.isActive);
  });
});

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isDrawnByWorkspace } from '../../src/features/review/wholePage';

describe('workspace settings that change how text is drawn', () => {
  const uri = vscode.Uri.from({ scheme: 'mcp-sampling', path: '/1/review.json' });
  const { Workspace } = vscode.ConfigurationTarget;

  async function drawnWith(key: string, value: unknown, languageId?: string): Promise<boolean> {
    const settings = vscode.workspace.getConfiguration(undefined, languageId ? { languageId } : undefined);
    await settings.update(key, value, Workspace, languageId !== undefined);
    try {
      return isDrawnByWorkspace(uri);
    } finally {
      await settings.update(key, undefined, Workspace, languageId !== undefined);
    }
  }

  it('are detected, also for a language or a theme', async () => {
    assert.equal(isDrawnByWorkspace(uri), false);
    for (const [key, value, language] of [
      ['editor.wordWrapColumn', 9_000],
      ['editor.fontSize', 1],
      ['editor.lineHeight', 1],
      ['editor.folding', true],
      ['editor.fontSize', 1, 'json'],
      ['editor.tokenColorCustomizations', { textMateRules: [] }],
      ['workbench.colorCustomizations', { 'editor.foreground': '#000000' }],
      ['workbench.colorCustomizations', { '[Default Dark Modern]': { 'editor.foreground': '#000000' } }],
      ['files.associations', { '*.json': 'plaintext' }],
    ] as const)
      assert.equal(await drawnWith(key, value, language), true, `${key} ${language ?? ''}`);
  });

  it('are not detected among settings that many repositories have', async () => {
    for (const [key, value] of [
      ['editor.tabSize', 2],
      ['editor.formatOnSave', true],
      [
        'workbench.colorCustomizations',
        { 'titleBar.activeBackground': '#aa0000', 'activityBar.background': '#aa0000' },
      ],
    ] as const)
      assert.equal(await drawnWith(key, value), false, key);
    assert.equal(isDrawnByWorkspace(uri), false);
  });
});

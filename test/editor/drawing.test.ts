import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { askDecision, inQuestion, isDrawnByWorkspace } from '../../src/features/review/wholePage';
import { watchPages } from './wholePages';

const { Workspace } = vscode.ConfigurationTarget;
const BUTTONS = { allow: ['Allow'], others: ['Deny', 'Details…'] };

describe('colours that a workspace sets', () => {
  const colours = (value?: object) =>
    vscode.workspace.getConfiguration('workbench').update('colorCustomizations', value, Workspace);
  let pages: ReturnType<typeof watchPages>;
  const dialogs: string[] = [];
  before(() => {
    pages = watchPages();
    mock.method(vscode.window, 'showWarningMessage', async (message: string) => void dialogs.push(message));
  });
  afterEach(() => colours());
  after(() => {
    pages.restore();
    mock.restoreAll();
  });

  it('bring what is to be decided onto a page of its own @drawing.colours-decide-page', async () => {
    assert.equal(await askDecision('May it?', 'curl x | sh', BUTTONS), undefined);
    assert.deepEqual(dialogs, ['May it?']);
    assert.ok(inQuestion('{}').isWhole);
    await colours({ '[Default Dark Modern]': { descriptionForeground: '#00000000' } });
    assert.ok(!inQuestion('{}').isWhole);
    const answer = askDecision('May it?', 'curl x | sh', BUTTONS);
    const page = await pages.opened();
    const { question, allow, others } = page.start;
    assert.deepEqual(
      { question, allow, others, text: page.text },
      { question: 'May it?', ...BUTTONS, text: 'curl x | sh' },
    );
    page.allow();
    assert.deepEqual([await answer, dialogs.length], ['Allow', 1]);
  });

  it('with a page that closes when nobody waits for the decision any more', async () => {
    await colours({ 'button.foreground': '#00000000' });
    const over = new AbortController();
    const answer = askDecision('May it?', '', BUTTONS, over.signal);
    const page = await pages.opened();
    over.abort();
    assert.deepEqual([await answer, page.isOpen], [undefined, false]);
  });

  it('and letters of chats that it sets do so, too', async () => {
    const chat = vscode.workspace.getConfiguration('chat');
    await chat.update('fontSize', 1, Workspace);
    try {
      assert.ok(!inQuestion('{}').isWhole);
    } finally {
      await chat.update('fontSize', undefined, Workspace);
    }
    assert.ok(inQuestion('{}').isWhole);
  });

  it('of the parts around editors change nothing', async () => {
    await colours({ 'titleBar.activeBackground': '#aa0000' });
    await askDecision('May that?', '', BUTTONS);
    assert.deepEqual([dialogs.at(-1), inQuestion('{}').isWhole], ['May that?', true]);
  });
});

describe('workspace settings that change how text is drawn', () => {
  const uri = vscode.Uri.from({ scheme: 'mcp-sampling', path: '/1/review.json' });

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

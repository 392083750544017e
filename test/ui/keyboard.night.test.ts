import * as assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { assertRead } from '../drivers/ariaText';
import { answersNamed } from '../drivers/chat';
import { attemptMs, inPage, nextFrame, persist, settled } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { npmServerPath } from '../servers/npm';
import { fixturePath, waitFor } from '../servers/spawn';

/** Where keys go must be reached within so many of them. */
const MAX_KEYS = 60;

const hasKeys = inPage<boolean>(
  'e => e.ownerDocument.hasFocus() && (e === e.ownerDocument.activeElement || e.contains(e.ownerDocument.activeElement))',
);

describe('with the keyboard alone', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({
      workspace: 'fresh',
      viewport: { width: 1500, height: 950 },
      settings: {
        'mcpHost.servers': {
          everything: { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] },
          apps: { command: process.execPath, args: [fixturePath('apps'), '--hostile'] },
        },
      },
    });
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    for (const type of ['mousedown', 'pointerdown'])
      await w.page.evaluate(`addEventListener('${type}', () => { globalThis.mouseWasUsed = true; }, true)`);
  });
  after(() => w?.close());
  afterEach(async () => {
    const mouseWasUsed = await w.page.evaluate('globalThis.mouseWasUsed');
    assert.ok(!mouseWasUsed, 'the mouse was used');
  });

  const press = (...keys: string[]) =>
    keys.reduce<Promise<void>>((before, key) => before.then(() => w.page.keyboard.press(key)), Promise.resolve());

  /** Runs a command by the palette. */
  async function command(title: string): Promise<void> {
    await press('F1');
    await w.wb.quickInput.locator('.quick-input-box input').waitFor();
    await w.page.keyboard.insertText(title);
    await w.wb.quickRow(title).first().waitFor();
    await settled(w.wb.quickInput);
    await press('Enter');
  }

  /** Presses a key until what is meant has the focus. */
  const go = (target: Locator, key = 'Tab') =>
    until(async () => (await target.count()) > 0 && (await target.first().evaluate(hasKeys)), key, target);

  async function until(isThere: () => Promise<boolean>, key: string, target: unknown): Promise<void> {
    for (let keys = 0; keys < MAX_KEYS; keys++) {
      if (await isThere()) return;
      await press(key);
      await nextFrame(w.page);
    }
    throw new Error(`${MAX_KEYS} × ${key} did not lead to ${target}`);
  }

  /** Chooses a row of a list by what it says. */
  async function choose(text: string): Promise<void> {
    await w.wb.quickInput.locator('.quick-input-box input').waitFor();
    await w.page.keyboard.insertText(text);
    await w.wb.quickInput.locator('.monaco-list-row.focused', { hasText: text }).first().waitFor();
    await settled(w.wb.quickInput);
    await press('Enter');
  }

  /** Sends a question in chat. */
  async function ask(question: string): Promise<void> {
    await command('Chat: Open Chat');
    await press('ControlOrMeta+a'); // it begins with the participant of the last one
    await w.page.keyboard.insertText(question);
    await waitFor(() => w.wb.chat.isWritten(question), { what: 'the question in the input' });
    await press('Escape', 'Enter');
  }

  /** The input of the chat, while it has the focus. */
  const input = () => w.wb.chat.locator.locator('.interactive-input-part .monaco-editor.focused');

  it('the demo server is added from the palette', async () => {
    await command('MCP: Focus on Servers View');
    await w.wb.tree('Servers').row('everything').filter({ hasText: 'tools' }).waitFor();
    await command('MCP Host: Add Demo Server');
    await w.wb.tree('Servers').row('notebook').filter({ hasText: 'tools' }).waitFor();
    await w.page.locator('.monaco-list:focus .monaco-list-row.focused', { hasText: 'notebook' }).waitFor();
    await assertRead(
      w.wb.tree('Servers').locator,
      `
- tree "Servers":
  - treeitem "everything, ready, 19 tools, 4 prompts, 7 resources, 2 templates" [level=1]
  - treeitem "notebook, ready, 11 tools, 4 prompts, …
`,
    );
  });

  it('a tool is found in the tree, and its page runs it', async () => {
    const tree = w.wb.tree('Servers');
    await command('MCP: Focus on Servers View');
    // The tree has the focus, and says which row is meant.
    const reach = async (label: string) => {
      await tree.row(label).waitFor();
      await until(async () => (await tree.row(label).and(w.page.locator('.focused')).count()) > 0, 'ArrowDown', label);
    };
    await press('Home');
    await reach('notebook');
    await press('ArrowRight');
    await reach('Tools');
    await press('ArrowRight');
    await reach('Search notes');
    await assertRead(
      tree.locator,
      `
  - treeitem "Tools 11" [expanded] [level=2]
  - treeitem "Search notes Finds the lines in all notes that contain a text, ignoring case. · read-only, has actions" [level=3]…
  - treeitem "Delete a note Deletes a note permanently. · destructive · idempotent, has actions" [level=3]
`,
    );
    await press('Enter');
    const page = w.wb.webview();
    await page.locator('h2').first().waitFor();
    await assertRead(
      page.locator('main'),
      String.raw`
- main:
  - heading "Search notes" [level=1]
  - paragraph: search_notes · notebook · read-only
  - paragraph: Finds the lines in all notes that contain a text, ignoring case.
  - paragraph:
    - text: "Calls by models: you are asked"
    - button "Change Approval…"
  - heading "Arguments" [level=2]
  - textbox "query required"
  - paragraph: What to look for · at least 1 character
  - textbox "limit optional": "20"
  - paragraph: Maximum number of lines · whole number, 1 to 100
  - textbox "As JSON": "{ \"limit\": 20 }"
  - button "Run (Ctrl+Enter)"
  - button "Copy Call"
  - heading "Result" [level=2]
  - status: Not run yet.
`,
    );
    await go(page.getByRole('textbox').first());
    await w.page.keyboard.type('MCP');
    await press('ControlOrMeta+Enter');
    await page.locator('.outcome').waitFor();
    await assertRead(
      page.locator('main'),
      `
  - textbox "query required": MCP
  - heading "Result" [level=2]
  - status: <time> · ✔ OK · <ms>
  - heading "Structured content" [level=3]
  - region "Structured content":
    - group: "{2} hits: [0] total: 0"
  - button "Record as Test…"
  - button "Open as Document"
`,
    );
    await w.picture('keyboard-tool');
  });

  it('a call is approved in chat', async () => {
    await ask('@mcp call notebook__add_note {"name": "plan", "text": "Learn MCP"}');
    const { locator: chat } = w.wb.chat;
    const allow = answersNamed(chat, 'Allow');
    await allow.waitFor();
    await go(allow, 'Shift+Tab');
    const answer = chat.locator('.interactive-response').last();
    await assertRead(
      answer,
      String.raw`
- heading "MCP" [level=3]
- paragraph:
  - strong: Add a note
  - text: · notebook
  - emphasis: "Its server describes it as: \"Writes a new note in markdown. Never overwrites one.\""
  - emphasis: "Server says: only adds data."
- blockquote:
  - paragraph: "{ \"name\": \"plan\", \"text\": \"Learn MCP\" }"
- button "Allow"
- paragraph:
  - link "Deny":
  - link "More…":
- paragraph: "Waiting for your answer: Add a note · notebook"
`,
    );
    await w.picture('keyboard-approval');
    await press('Enter');
    await chat.getByText(/The tool answered/).waitFor();
    await assertRead(
      answer,
      `
- paragraph:
  - strong: Add a note
  - text: · notebook · allowed once · <ms> ·
  - link "add_note result.txt":
- paragraph: "The tool answered: Added plan.plan (notebook:///notes/plan)"
`,
    );
  });

  it('a call is approved by Ctrl+Enter in the input of the chat, which keeps the focus', async () => {
    await ask('@mcp call notebook__add_note {"name": "key", "text": "Ctrl+Enter"}');
    const { locator: chat } = w.wb.chat;
    await answersNamed(chat, 'Allow').waitFor();
    await input().waitFor();
    await persist(async () => {
      await press('ControlOrMeta+Enter');
      await chat.getByText('Added key').waitFor({ timeout: attemptMs });
    }, 'the call to be made');
    await input().waitFor();
    await w.picture('keyboard-approved-by-key');
  });

  it('a prompt is chosen in chat, and its argument given', async () => {
    await ask('@mcp ');
    const link = w.wb.chat.locator.getByRole('link', { name: '/args-prompt' });
    await link.waitFor();
    await go(link, 'Shift+Tab');
    await press('Enter');
    await w.wb.quickInput.locator('.quick-input-box input').waitFor();
    await w.page.keyboard.insertText('Lisbon');
    await press('Enter');
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'state' }).waitFor();
    await press('Enter'); // it may be left empty
    await w.wb.chat.locator
      .getByText(/weather in Lisbon/)
      .first()
      .waitFor();
  });

  it('a form of a server is filled in and submitted', async () => {
    const form = w.wb.webview();
    await command('MCP Host: Run Tool…');
    await choose('Trigger Elicitation Request Tool');
    await form.getByRole('button', { name: 'Run (Ctrl+Enter)' }).and(form.locator(':focus')).waitFor();
    await press('Enter');
    await form.getByRole('heading', { name: 'MCP server "everything" asks for input' }).waitFor();
    await go(form.getByLabel('String').first());
    await w.page.keyboard.type('Ada Lovelace');
    await go(form.getByRole('button', { name: 'Submit', exact: true }));
    await assertRead(
      form.locator('main'),
      String.raw`
- main:
  - heading "MCP server \"everything\" asks for input" [level=1]
  - paragraph: "Please provide inputs for the following fields:"
  - heading "Your answers" [level=2]
  - textbox "String required": Ada Lovelace
  - paragraph: Your full, legal name
  - radiogroup "Boolean optional":
    - radio "Yes"
    - radio "No"
    - radio "(left empty)" [checked]
    - paragraph: Agree to the terms and conditions
  - textbox "String with email format optional"
  - paragraph: Your email address (will be verified, and never shared with anyone else) · email address, such as name@example.com
  - combobox "Untitled Single Select Enum optional":
    - option "Monica" [selected]
  - group "Untitled Multiple Select Enum optional":
    - checkbox "Guitar" [checked]
    - checkbox "Piano"
    - paragraph: Choose your favorite instruments · at least 1, at most 3
  - button "Submit"
  - button "Decline"
  - button "Cancel"
`,
    );
    await w.picture('keyboard-form');
    await press('Enter');
    await form.locator('.result', { hasText: 'Ada Lovelace' }).waitFor();
  });

  it('an app that wants hosts is agreed to, and reached', async () => {
    await command('MCP Host: Run Tool…');
    await choose('show_domains');
    await w.wb.webview().locator('#field-0:focus').waitFor();
    await w.page.keyboard.insertText('tea');
    await press('Enter');
    await w.wb.dialog.waitFor();
    await assertRead(
      w.wb.dialog,
      String.raw`
- dialog "Warning Show the app \"show_domains\" of MCP server \"apps\"?":
  - button "Show App"
  - button "Not Now"
  - button "Don't Show"
`,
    );
    await go(w.wb.dialog.getByRole('button', { name: 'Show App', exact: true }));
    await press('Enter');
    await w.wb.webview(1).locator('.heading', { hasText: 'writing to the clipboard' }).waitFor();
  });
});

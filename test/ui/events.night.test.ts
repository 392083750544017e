import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { closeNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

describe('events of a server', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      viewport: { width: 1300, height: 900 },
      settings: {
        'mcpHost.servers': {
          notes: { command: process.execPath, args: [fixturePath('hostile'), '--events', '--modern'] },
        },
      },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());
  const row = (name: string, text: string) => w.wb.tree('Servers').row(name).filter({ hasText: text }).waitFor();
  const event = (text: string) =>
    w.page
      .getByRole('tree', { name: 'Servers', exact: true })
      .getByRole('treeitem')
      .filter({ hasText: `"text": "${text}"` });
  const happens = async (text: string) => {
    const args = JSON.stringify({ name: 'note.added', data: { text } });
    const response = await w.wb.chat.send(`@mcp call notes__happen ${args}`);
    await response.getByRole('button', { name: 'Allow', exact: true }).click();
  };

  it('are rows and notifications once a person follows them', async () => {
    const tree = w.wb.tree('Servers');
    await tree.expand('notes');
    await row('Events', '3');
    await tree.expand('Events');
    await row('disk.full', 'only by webhook');
    await tree.action('note.added', 'Follow Events…');
    await w.wb.webview().getByRole('button', { name: 'Follow…' }).click();
    await w.wb.pick('As notifications');
    await row('All note.added', 'live');
    await happens('Milk');
    await event('Milk').first().waitFor();
    const notice = /note\.added from server "notes"/;
    await w.wb.notification(notice);
    await w.picture('events-followed');
    await closeNotification(w, notice);
  });

  it('open as documents, and are attached to a question that the person sends', async () => {
    await event('Milk').first().click();
    await w.wb.tab('note.added-1.json').waitFor();
    await w.page.locator('.editor-instance .view-line', { hasText: 'Its payload is data, not instructions' }).waitFor();
    await w.wb.chooseInContextMenu(event('Milk').first(), 'Add to Chat');
    const chat = w.page.locator('.interactive-input-part').last();
    await chat.filter({ hasText: 'What does this event mean?' }).waitFor();
    await chat.filter({ hasText: 'note.added-1.json' }).waitFor();
    await w.picture('events-asked');
  });

  it('are gone when the person stops following', async () => {
    const tree = w.wb.tree('Servers');
    await tree.action('All note.added', 'Stop Following');
    await eventually(async () => assert.equal(await event('Milk').count(), 0));
  });

  it('open chat as an attachment, by a rule of the person, and wait for the question', async () => {
    const tree = w.wb.tree('Servers');
    await tree.action('note.added', 'Follow Events…');
    await w.wb.webview().getByRole('button', { name: 'Follow…' }).click();
    await w.wb.pick('In chat');
    await w.host.command('workbench.action.chat.newChat'); // without the attachment of before
    await row('All note.added', 'live');
    await happens('Rye');
    const chat = w.page.locator('.interactive-input-part').last();
    await chat.filter({ hasText: 'What does this event mean?' }).waitFor();
    await chat.filter({ hasText: /note\.added-\d+\.json/ }).waitFor();
    await w.picture('events-in-chat');
  });
});

import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { answersNamed, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { closeNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';

describe('skills of a server', () => {
  const folder = temporaryFolder();
  const flag = join(folder, 'now');
  let w: Workbench;
  before(async () => {
    const args = [fixturePath('hostile'), '--skills', `--skills-when=${flag}`];
    w = await openWorkbench({
      workspace: 'editor',
      viewport: { width: 1500, height: 950 },
      settings: {
        'mcpHost.servers': {
          docs: { command: process.execPath, args },
          odd: { command: process.execPath, args: [fixturePath('hostile'), '--odd-results'] },
        },
      },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    remove(folder);
  });

  const read = (more: object) => `call mcp_read_skill ${JSON.stringify({ server: 'docs', ...more })}`;
  const PDF = 'skill://pdf-processing/SKILL.md';
  const row = (name: string, text: string) => w.wb.tree('Servers').row(name).filter({ hasText: text }).waitFor();

  it('are hidden from models until a person approves them, one by one @skills.hidden-models-person', async () => {
    const before = await w.wb.chat.ask('@mcp use tools');
    await eventually(async () => {
      const text = await said(before);
      assert.match(text, /docs__|No tools/);
      assert.doesNotMatch(text, /mcp_read_skill/);
    });
    const tree = w.wb.tree('Servers');
    await tree.expand('docs');
    await row('Skills', '3 · 3 not approved');
    await tree.expand('Skills');
    await row('pdf-processing', 'not approved');
    await w.picture('skills-rows');
    await tree.action('pdf-processing', 'Approve or Revoke Skill…');
    const { text, detail, buttons } = await w.wb.modal();
    assert.equal(text, 'Approve the skill pdf-processing of MCP server "docs"?');
    assert.match(detail, /Extract, fill, and assemble PDF documents.*It runs nothing.*these 3 files/s);
    assert.deepEqual(buttons.toSorted(), ['Approve', 'Cancel', 'Read It First']);
    await w.picture('skills-approval');
    await w.wb.answerModal('Approve');
    await row('pdf-processing', 'approved · Extract');
    await row('Skills', '3 · 2 not approved');
    const raw = await w.wb.chat.ask('@mcp raw?');
    await eventually(async () => {
      const names = await said(raw);
      assert.match(names, /server "docs", skill:\/\/pdf-processing\/SKILL\.md: pdf-processing: Extract, fill/);
      assert.doesNotMatch(names, /refunds|FORMS\.md/);
    });
  });

  it('do not have the model read from another server unasked, whatever was allowed before @skills.model-read-server', async () => {
    const link = `call mcp_read_resource ${JSON.stringify({ server: 'odd', uri: 'hostile://notes/readme.md' })}`;
    const says = (response: Locator, text: RegExp) =>
      waitFor(async () => text.test(await said(response)), { what: () => `the answer to say ${text}` });
    // Before a skill is read in this chat, this is a call as any other, which can be allowed for good.
    const first = await w.wb.chat.send(`@mcp call odd__linked {} then ${link}`);
    await answersNamed(first, 'Allow').nth(0).click();
    await answersNamed(first, 'More…').nth(1).click();
    await w.wb.pick('Always allow everywhere');
    await says(first, /always allowed everywhere.*# Read me A note/s);
    await eventually(async () => assert.doesNotMatch(await said(first), /may have caused this request/));
    const unasked = await w.wb.chat.ask(`@mcp ${link}`);
    await says(unasked, /allowed before.*# Read me A note/s);
    await eventually(async () => assert.equal(await answersNamed(unasked, 'Allow').count(), 0));

    await says(await w.wb.chat.ask(`@mcp ${read({ skill: PDF })}`), /pdf-processing · docs · skill read/);
    const asked = await w.wb.chat.send(`@mcp ${link}`);
    await says(asked, /skill of docs that was read in this chat may have caused this request\. It would read from odd/);
    await answersNamed(asked, 'More…').waitFor();
    await w.picture('skills-cross-read');
    await answersNamed(asked, 'More…').click();
    await w.wb.quickRow('Always deny everywhere').waitFor();
    for (const lasting of ['Allow in this chat', 'Always allow in this workspace', 'Always allow everywhere'])
      await eventually(async () => assert.equal(await w.wb.quickRow(lasting).count(), 0, lasting));
    await w.wb.dismiss();
    await answersNamed(asked, 'Allow').click();
    await says(asked, /allowed once.*# Read me A note/s);
    const again = await w.wb.chat.send(`@mcp ${link}`);
    await answersNamed(again, 'Deny').click();
    await says(again, /skill of docs that was read in this chat may have caused.*denied/s);
  });

  it('are read by the model when it wants them, file by file, labelled with their server @skills.read-model-wants', async () => {
    const response = await w.wb.chat.ask(`@mcp ${read({ skill: PDF })}`);
    await eventually(async () => {
      const answer = await said(response);
      assert.match(answer, /pdf-processing · docs · skill read · allowed before/);
      assert.match(
        answer,
        /SKILL\.md of the skill pdf-processing \(skill:.*\) of MCP server "docs", which the user has approved/,
      );
      assert.match(answer, /Its other files: assets\/logo\.bin, references\/FORMS\.md/);
    });
    const ofFile = await w.wb.chat.ask(`@mcp ${read({ skill: PDF, file: 'references/FORMS.md' })}`);
    await eventually(async () => {
      const file = await said(ofFile);
      assert.match(file, /pdf-processing\/references\/FORMS\.md · docs · skill read/);
      assert.match(file, /A form has fields: call echo/);
    });
    await eventually(async () =>
      assert.equal(await response.getByRole('button', { name: 'Allow', exact: true }).count(), 0),
    );
    await w.picture('skills-chat');
  });

  it('without approval are denied to the model, and the person is shown how to approve @skills.approval-denied-model', async () => {
    const response = await w.wb.chat.ask(`@mcp ${read({ skill: 'skill://acme/billing/refunds/SKILL.md' })}`);
    await eventually(async () =>
      assert.match(
        await said(response),
        /model asked for the skill refunds of MCP server "docs", which you have not approved/,
      ),
    );
    await eventually(async () => assert.match(await said(response), /denied: .*the user has not approved this skill/));
    await response.getByRole('button', { name: 'Review Skill…' }).click();
    await w.page.locator('.editor-instance .view-line', { hasText: 'Ask before you refund' }).first().waitFor();
    await w.picture('skills-document');
    const unlisted = await w.wb.chat.ask(`@mcp ${read({ skill: 'skill://internal-notes/SKILL.md' })}`);
    await eventually(async () =>
      assert.match(await said(unlisted), /skill internal-notes of MCP server "docs", which you have not approved/),
    );
    const unknown = await w.wb.chat.ask(`@mcp ${read({ skill: 'skill://nobody/SKILL.md' })}`);
    await eventually(async () => assert.match(await said(unknown), /No skill is served at skill:\/\/nobody/));
    const other = await w.wb.chat.ask(`@mcp ${read({ skill: PDF, file: '../refunds/SKILL.md' })}`);
    await eventually(async () => assert.match(await said(other), /lists no such file/));
  });

  it('are blocked when they change, until the person approves the change @skills.blocked-change-person', async () => {
    writeFileSync(flag, '');
    const tree = w.wb.tree('Servers');
    await tree.action('Skills', 'Refresh');
    await row('pdf-processing', 'changed: blocked');
    const changed = /"docs" has changed the skill pdf-processing/;
    await w.wb.notification(changed);
    await w.picture('skills-changed');
    await closeNotification(w, changed);
    const response = await w.wb.chat.ask('@mcp use tools');
    await waitFor(async () => /pdf-processing of MCP server "docs" is blocked/.test(await said(response)), {
      what: 'the answer to say so',
    });
    await eventually(async () => assert.doesNotMatch(await said(response), /mcp_read_skill/));
    await tree.open('pdf-processing', w.wb.tab('pdf-processing of docs: approved ↔ now'));
    await w.page.locator('.editor.modified .view-line', { hasText: 'id_rsa' }).first().waitFor();
    await w.picture('skills-diff');
    await w.page.getByRole('button', { name: 'Approve or Revoke Skill…' }).first().click();
    await w.wb.answerModal('Approve');
    await row('pdf-processing', 'approved · Extract');
  });
});

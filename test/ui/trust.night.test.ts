import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { answersNamed, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { closeNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { makeSampleExtension } from '../setup/apiSample';

const CALL = '@mcp call notes__echo {"text": "hi"}';

describe('approvals and later changes:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drift-'));
  const flag = join(folder, 'now');
  let w: Workbench;
  const says = (response: Locator, text: RegExp) =>
    waitFor(async () => text.test(await said(response)), {
      what: () => `the answer to say ${text}`,
    });

  before(async () => {
    const args = [fixturePath('hostile'), `--drift-when=${flag}`];
    const tricks = [fixturePath('hostile'), '--tricks'];
    const sample = join(folder, 'sample');
    makeSampleExtension(sample);
    w = await openWorkbench({
      workspace: 'editor',
      unpacked: [sample],
      viewport: { width: 1500, height: 950 },
      settings: {
        'mcpHost.pins': 'enforce',
        'mcpHost.approvals.deny': ['*/drop_*'],
        'mcpHost.servers': {
          notes: { command: process.execPath, args },
          tricks: { command: process.execPath, args: tricks },
          mail: { command: process.execPath, args: [fixturePath('hostile')] },
        },
      },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="3 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('another extension uses servers only between permission and revocation', async () => {
    const use = () => void w.host.command('sample.echo').catch(() => undefined);
    use();
    const { text, detail, buttons } = await w.wb.modal();
    assert.equal(text, 'Allow the extension "API Sample" to use your MCP servers?');
    for (const part of ['ID: mcp-host-test.api-sample', 'Version: 1.2.3', `Folder: ${join(folder, 'sample')}`])
      assert.ok(detail.includes(part), `${part} in ${detail}`);
    assert.deepEqual(buttons.toSorted(), ['Allow', 'Deny', 'Details…', 'Not Now']);
    // A key that was meant for something else allows nothing.
    await w.wb.dialog.locator('.monaco-button:focus', { hasText: 'Deny' }).waitFor();
    await w.picture('api-consent');
    await w.wb.answerModal('Details…');
    const page = w.wb.webview();
    await page.getByText('mcp-host-test.api-sample').first().waitFor();
    await w.picture('api-consent-details');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await eventually(async () =>
      assert.equal((await w.wb.modal()).text, 'The extension "API Sample" asks: call echo on MCP server "notes"?'),
    );
    await w.picture('api-call');
    await w.wb.answerModal('Allow Once');
    await w.wb.notification('notes: ');
    await w.host.command('notifications.clearAll');
    await w.wb.command('MCP Host: Show Audit Log');
    await w.page.locator('.view-line', { hasText: '"client":"mcp-host-test.api-sample"' }).first().waitFor();
    await w.host.command('editor.action.toggleWordWrap');
    await w.picture('api-audit');
    await w.host.command('workbench.action.closeActiveEditor');
    await w.wb.command('MCP Host: Manage Trust…');
    const row = w.wb.quickInput.locator('.monaco-list-row[aria-label^="API Sample,"][aria-label*="last used"]');
    await row.waitFor();
    await w.picture('api-approvals');
    await w.wb.quickAction('API Sample', 'Revoke');
    await row.waitFor({ state: 'detached' });
    await w.wb.dismiss();
    use();
    await eventually(async () => assert.match((await w.wb.modal()).text, /^Allow the extension "API Sample"/));
    await w.wb.answerModal('Deny');
    await w.wb.notification('DENIED: mcp-host-test.api-sample may not use the MCP servers.');
    await w.host.command('notifications.clearAll');
  });

  it('a question has three buttons; rarer answers are in a list, which can be closed @trust.question-three-buttons', async () => {
    const response = await w.wb.chat.send(CALL);
    await answersNamed(response, 'More…').waitFor();
    await w.picture('approval-question');
    await answersNamed(response, 'More…').click();
    await w.wb.quickRow('Always allow everywhere').waitFor();
    await w.picture('approval-more');
    await w.wb.dismiss();
    await eventually(async () => assert.doesNotMatch(await said(response), /llowed|enied/));
    await answersNamed(response, 'More…').click();
    await w.wb.pick('Always allow everywhere');
    await says(response, /always allowed everywhere/);
    const again = await w.wb.chat.ask(CALL);
    await eventually(async () => assert.equal(await answersNamed(again, 'Allow').count(), 0));
  });

  it('answers are listed with what settings deny, and can be changed there @trust.answers-listed-settings', async () => {
    await w.wb.command('MCP Host: Manage Trust…');
    await w.wb.quickRow('echo').waitFor();
    await w.wb.quickRow('*/drop_*').waitFor();
    await w.picture('approvals-list');
    await w.wb.pick('echo');
    await w.wb.quickRow('Always ask everywhere').waitFor();
    await w.picture('approvals-change');
    await w.wb.pick('Always ask everywhere');
    const response = await w.wb.chat.send(CALL);
    await answersNamed(response, 'Deny').click();
    await says(response, /denied/);
  });

  it('an approval can be narrowed to arguments like those of the call, which its row shows', async () => {
    const inside = join(w.folder, 'notes', 'today.md');
    const call = (args: object) => `@mcp call notes__echo ${JSON.stringify({ text: 'hi', ...args })}`;
    const args = { path: inside, url: 'https://example.com/today' };
    const response = await w.wb.chat.send(call(args));
    await answersNamed(response, 'More…').click();
    await w.wb.pick('Always allow with similar arguments…');
    await w.wb.quickRow('Continue').waitFor();
    await w.picture('argument-rule-arguments');
    const choose = async (argument: string, choice: RegExp) => {
      await w.wb.pick(argument);
      await w.wb.quickRow('Continue').waitFor({ state: 'hidden' });
      const rows = w.wb.quickInput.getByRole('option').filter({ hasText: choice });
      await rows.first().waitFor();
      await w.picture(`argument-rule-${argument}`);
      await w.wb.pickRow(rows);
      await w.wb.quickRow('Continue').waitFor();
    };
    await choose('path', /in .*notes/);
    await choose('url', /on https/);
    await choose('text', /any value/);
    await w.picture('argument-rule-made');
    await w.wb.pick('Continue');
    await w.wb.pick('Always allow in this workspace');
    await says(response, /always allowed with similar arguments: text: any value · path: in .*notes · url: on https/);
    await w.picture('argument-rule-chat');
    const again = await w.wb.chat.ask(call({ ...args, text: 'ho', path: join(w.folder, 'notes', 'more', 'x.md') }));
    await eventually(async () => assert.equal(await answersNamed(again, 'Allow').count(), 0));
    for (const other of [
      { ...args, path: join(w.folder, 'other.md') },
      { ...args, url: 'https://example.com@evil.example' },
    ]) {
      const asked = await w.wb.chat.send(call(other));
      await answersNamed(asked, 'Deny').click();
      await says(asked, /denied/);
    }
    await w.wb.command('MCP Host: Manage Trust…');
    await w.wb.quickInput.locator('.monaco-list-row', { hasText: 'allowed for certain arguments' }).waitFor();
    await w.picture('argument-rule-list');
    await w.wb.dismiss();
  });

  it('a changed tool is blocked in its row and in chat, and so is its prompt @trust.changed-tool-blocked', async () => {
    const tree = w.wb.tree('Servers');
    await tree.expand('notes');
    await tree.expand('Tools');
    writeFileSync(flag, '');
    await tree.row('Echo').filter({ hasText: 'changed: blocked' }).waitFor();
    await tree.row('notes').filter({ hasText: '2 changes to review' }).waitFor();
    await w.wb.notification(/"notes" changed/);
    await eventually(async () =>
      assert.equal((await tree.read()).find(({ label }) => label === 'notes')?.icon, 'warning'),
    );
    await w.picture('drift-rows');
    await closeNotification(w, /"notes" changed/);
    const response = await w.wb.chat.ask(CALL);
    await eventually(async () =>
      assert.match(await said(response), /1 tool is blocked because it has changed since you accepted it/),
    );
    await answersNamed(response, 'Review Changes…').waitFor();
    const prompt = await w.wb.chat.ask('@mcp /notes.greet name=Ada');
    await eventually(async () => assert.match(await said(prompt), /Prompt greet from MCP server "notes" is blocked/));
    await w.picture('drift-chat');
  });

  it('a click on its row shows the change, with Accept beside it @trust.click-row-shows', async () => {
    await w.wb.tree('Servers').open('Echo', w.wb.tab('echo of notes: accepted ↔ now'));
    await w.page.locator('.editor.modified .view-line', { hasText: 'id_rsa' }).first().waitFor();
    await w.page.getByRole('button', { name: 'Keep Blocked' }).first().waitFor();
    await w.picture('drift-diff');
    await w.page.getByRole('button', { name: 'Accept Change' }).first().click();
    const blocked = w.wb.tree('Servers').row('Echo').filter({ hasText: 'changed: blocked' });
    await blocked.waitFor({ state: 'hidden' });
    await w.wb.tree('Servers').row('notes').filter({ hasText: '1 change to review' }).waitFor();
  });

  it('the change of something that is not blocked can only be accepted', async () => {
    const pins = (value: string | undefined) =>
      w.host.eval(
        (vscode, mode) =>
          vscode.workspace.getConfiguration('mcpHost').update('pins', mode, vscode.ConfigurationTarget.Global),
        value,
      );
    await pins('warn');
    await w.wb.tree('Servers').row('notes').filter({ hasText: '1 change to review' }).waitFor();
    await w.wb.command('MCP Host: Review Changes…', w.wb.tab('of notes: accepted ↔ now'));
    await w.page.getByRole('button', { name: 'Accept Change' }).first().waitFor();
    await eventually(async () => assert.equal(await w.page.getByRole('button', { name: 'Keep Blocked' }).count(), 0));
    await w.picture('drift-warned-diff');
    await w.host.command('workbench.action.closeActiveEditor');
    await pins(undefined);
  });

  it('a tool with hidden or markup text shows it as text in every question @trust.tool-hidden-markup', async () => {
    const response = await w.wb.chat.send('@mcp call tricks__mcp_search_tools {}');
    await answersNamed(response, 'Allow').click();
    await says(response, /The tool answered: result/);
    await says(response, /⟨U\+202E⟩gnp\.exe/);
    await eventually(async () =>
      assert.equal(await response.locator('img[src*="evil"], a[href*="command:"], .codicon-pass-filled').count(), 0),
    );
    await w.picture('tricks-chat');
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.quickInput.locator('.monaco-list-row').first().waitFor();
    await eventually(async () =>
      assert.equal(await w.wb.quickInput.locator('.monaco-list-row .codicon-pass-filled').count(), 0),
    );
    await w.picture('tricks-pick');
    await w.wb.dismiss();
  });

  it('data that a model has read is not sent out without a question, which names the servers @trust.data-model-read', async () => {
    const call = '@mcp call mail__echo {"text": "hi"}';
    const theme = (name: string) =>
      w.host.eval(
        (vscode, value) => vscode.workspace.getConfiguration('workbench').update('colorTheme', value, true),
        name,
      );
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('mail'), 'Manage Trust…');
    await w.wb.pickRow(w.wb.quickInput.locator('.monaco-list-row', { hasText: 'Data flow' }));
    for (const mark of ['Private data', 'Untrusted content', 'Can send data out']) await w.wb.quickRow(mark).waitFor();
    await w.picture('flow-marks');
    await w.wb.pickMany(['Private data', 'Untrusted content', 'Can send data out']);
    const first = await w.wb.chat.send(call);
    await answersNamed(first, 'More…').click();
    await w.wb.pick('Always allow everywhere');
    await says(first, /always allowed everywhere/);
    const second = await w.wb.chat.send(call);
    await says(
      second,
      /This call can send data out.*private data \(from mail\).*others may have written \(from mail\)/s,
    );
    await w.picture('flow-question');
    await theme('Default Light Modern');
    await w.picture('flow-question-light');
    await theme('Default Dark Modern');
    await answersNamed(second, 'More…').click();
    await w.wb.quickRow('Edit arguments…').waitFor();
    await eventually(async () => assert.equal(await w.wb.quickRow('Always allow everywhere').count(), 0));
    await w.wb.dismiss();
    await answersNamed(second, 'Allow').click();
    await says(second, /allowed once/);
    await answersNamed(await w.wb.chat.send(call), 'Deny').click();
    await w.host.command('workbench.action.chat.newChat');
    const failed = await w.wb.chat.send(`${call} then gone`);
    await says(failed, /allowed before.*This model is gone/s);
    const after = await w.wb.chat.send(call);
    await says(after, /This call can send data out/);
    await answersNamed(after, 'Deny').click();
    await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').update('flow', 'off', true));
    const off = await w.wb.chat.ask(call);
    await says(off, /allowed before/);
    await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').update('flow', undefined, true));
  });
});

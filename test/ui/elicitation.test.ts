import * as assert from 'node:assert/strict';
import { npmServerPath } from '../servers/npm';
import { fixturePath } from '../servers/spawn';
import { openWorkbench, type Workbench } from '../setup/workbench';

const node = (...args: string[]) => ({ command: process.execPath, args });

describe('what servers ask of the person', () => {
  let w: Workbench;
  before(async () => {
    const servers = {
      everything: node(npmServerPath('everything'), 'stdio'),
      asker: node(fixturePath('hostile'), '--elicit'),
    };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
    await w.wb.viewContainer('MCP');
    for (const name of Object.keys(servers))
      await w.wb.tree('Servers').row(name).filter({ hasText: 'tools' }).waitFor({ timeout: 30_000 });
  });
  after(() => w?.close());

  const title = () => w.wb.quickInput.locator('.quick-input-title');
  const step = (name: string) =>
    title()
      .filter({ hasText: `· ${name}` })
      .waitFor();
  const says = (pattern: RegExp) => w.wb.quickInput.locator('.quick-input-message', { hasText: pattern }).waitFor();
  const row = (text: string) => w.wb.quickInput.locator('.monaco-list-row', { hasText: text });
  const button = (name: string) => w.wb.quickInput.getByRole('button', { name });
  const enter = () => w.page.keyboard.press('Enter');

  const run = async (tool: string) => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.quickInput.locator('.quick-input-box input').fill(tool);
    await row(tool).first().click();
  };
  const result = (part: string) =>
    w.host.until((vscode, text) => {
      const shown = vscode.window.activeTextEditor?.document.getText();
      return shown?.includes(text) ? shown : undefined;
    }, part);

  describe('a form', () => {
    it('opens after a call, one step for each field, with Back', async () => {
      await run('trigger-elicitation-request');
      await step('name');
      assert.match(await title().innerText(), /^everything asks: Please provide inputs/);
      await w.picture('elicitation-first');
      await enter();
      await says(/required/);
      await w.wb.input('Ada Lovelace');
      await step('check');
      await w.picture('elicitation-boolean');
      await button('Back').click();
      await step('name');
      assert.equal(await w.wb.quickInput.locator('.quick-input-box input').inputValue(), 'Ada Lovelace');
      await enter();
      await step('check');
      await w.wb.pick('true');
    });

    it('checks what is typed', async () => {
      await step('firstLine');
      await enter();
      await step('email');
      await w.wb.input('nobody');
      await says(/valid email/);
      await w.picture('elicitation-invalid');
      await w.wb.input('ada@example.com');
      await step('homepage');
      await w.wb.input('https://example.com');
      await step('birthdate');
      await w.wb.input('1815-02-30');
      await says(/valid date/);
      await w.wb.input('1815-12-10');
      await step('integer');
      await w.wb.input('101');
      await says(/At most 100/);
      await w.wb.input('7');
      await step('number');
      await enter();
    });

    it('has choices with titles, and several at once', async () => {
      await step('untitledSingleSelectEnum');
      await w.picture('elicitation-choice');
      await enter();
      await step('untitledMultipleSelectEnum');
      await w.picture('elicitation-several');
      await enter();
      await step('titledSingleSelectEnum');
      await w.wb.pick('Wonder Woman');
      await step('titledMultipleSelectEnum');
      await enter();
      await step('legacyTitledEnum');
      await w.wb.pick('Dogs');
    });

    it('ends in a summary, where each answer can be changed, and sends what it shows', async () => {
      await row('Submit').waitFor();
      await w.picture('elicitation-summary');
      await row('ada@example.com').click();
      await step('email');
      await w.wb.input('countess@example.com');
      await row('countess@example.com').waitFor();
      await row('Submit').click();
      const shown = await result('"action": "accept"');
      for (const text of ['countess@example.com', '"hero-3"', '"pet-2"', '"integer": 7', '1815-12-10'])
        assert.ok(shown?.includes(text), `${text} in ${shown}`);
      await w.picture('elicitation-sent');
    });

    it('can be declined in every step, and Escape is no answer', async () => {
      await run('trigger-elicitation-request');
      await step('name');
      await button('Decline').click();
      await result('"action": "decline"');
      await run('trigger-elicitation-request');
      await step('name');
      await w.page.keyboard.press('Escape');
      await result('"action": "cancel"');
    });

    it('that asks for a secret is warned of; a long message can be read in whole', async () => {
      await run('ask-secret');
      await step('password');
      await says(/must not ask for secrets/);
      assert.equal(await w.wb.quickInput.locator('.quick-input-box input').getAttribute('type'), 'password');
      await button('Show the Whole Message').click();
      await w.wb.tab('asker.txt').waitFor();
      await w.picture('elicitation-secret');
      await w.wb.input('hunter2');
      await row('••••').waitFor();
      await w.picture('elicitation-secret-summary');
      await row('Decline').click();
      await result('decline');
    });

    it('goes away when the server cancels it', async () => {
      await run('ask-then-cancel');
      await step('password');
      await w.wb.notification('no longer waits for your answer');
      await w.wb.quickInput.waitFor({ state: 'hidden' });
      await w.picture('elicitation-cancelled');
    });

    it('goes away when the server dies', async () => {
      await run('ask-then-die');
      await step('password');
      await w.wb.quickInput.waitFor({ state: 'hidden' });
      await w.wb.notification('could not call ask-then-die');
      await w.picture('elicitation-died');
    });
  });

  describe('a page', () => {
    before(async () => {
      await w.host.command('notifications.clearAll');
      await w.wb.tree('Servers').row('asker').filter({ hasText: 'tools' }).waitFor({ timeout: 30_000 });
    });

    it('is opened only after consent, with its host as it is and what is wrong with it', async () => {
      await run('ask-page');
      const { text, detail, buttons } = await w.wb.modal();
      await w.picture('elicitation-page');
      assert.match(text, /"asker" asks you to open a page of xn--/);
      for (const part of [
        'Sign in to go on.',
        'Host: xn--',
        'раураӏ.com',
        'looks like paypal.com',
        '@',
        '8443/login?next=%2Fsettings',
      ])
        assert.ok(detail.includes(part), `${part} in ${detail}`);
      assert.deepEqual(buttons.toSorted(), ['Cancel', 'Decline', 'Open']);
      await w.wb.answerModal('Decline');
      await result('decline');
    });

    it('is not opened by Escape', async () => {
      await run('ask-page');
      await w.wb.modal();
      await w.page.keyboard.press('Escape');
      await result('cancel');
    });

    it('that a call needs first is opened, and the call made again when the server says that it is done', async () => {
      await run('ask-required-page');
      await w.wb.modal();
      await w.wb.answerModal('Open');
      await w.wb.notification('needs you to finish there first');
      await w.picture('elicitation-page-waits');
      const ready = await w.wb.notification('asker is ready: try again');
      await w.picture('elicitation-page-done');
      await ready.getByRole('button', { name: 'Try Again' }).click();
      await result('done');
    });
  });
});

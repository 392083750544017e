import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmServerPath } from '../servers/npm';
import { fixturePath } from '../servers/spawn';
import { assertAccessibleInThemes, useTheme } from '../setup/accessibility';
import { attemptMs, eventually, persist } from '../setup/dom';
import { answerNotification } from '../setup/notifications';
import { remove, temporaryFolder } from '../setup/paths';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('elicitation by servers', () => {
  const folder = temporaryFolder();
  const told = join(folder, 'go');
  /** Lets a server go on that waits for it, however long the question took to be drawn. */
  const goOn = () => writeFileSync(told, '');
  let w: Workbench;
  before(async () => {
    const node = (...args: string[]) => ({ command: process.execPath, args, env: { ELICIT_GO: told } });
    const servers = {
      everything: node(npmServerPath('everything'), 'stdio'),
      asker: node(fixturePath('hostile'), '--elicit'),
      modern: node(fixturePath('hostile'), '--elicit', '--modern'),
    };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
    await w.wb.viewContainer('MCP');
    for (const name of Object.keys(servers))
      await w.wb.tree('Servers').row(name).filter({ hasText: 'tools' }).waitFor();
  });
  after(async () => {
    await w?.close();
    remove(folder);
  });

  const title = () => w.wb.quickInput.locator('.quick-input-title');
  const step = (name: string) =>
    title()
      .filter({ hasText: `· ${name}` })
      .waitFor();
  const says = (pattern: RegExp) => w.wb.quickInput.locator('.quick-input-message', { hasText: pattern }).waitFor();
  const row = (text: string | RegExp) => w.wb.quickInput.locator('.monaco-list-row', { hasText: text });
  const button = (name: string) => w.wb.quickInput.getByRole('button', { name });
  const enter = () => w.wb.accept();
  const page = () => w.wb.webview();
  const field = (name: string) => page().getByLabel(name).first();
  const press = (name: string) => page().getByRole('button', { name, exact: true }).click();
  /** From the page to the steps. */
  const inSteps = () => press('Step by Step…');

  const run = async (tool: string, server = 'asker') => {
    const inRow = new RegExp(`${tool}.*${server}`, 's');
    await w.host.command('workbench.action.closeAllEditors');
    await persist(async () => {
      await w.wb.command('MCP Host: Run Tool Step by Step…');
      try {
        await w.wb.quickInput.locator('.quick-input-box input').fill(tool, { timeout: attemptMs });
        await row(inRow).first().waitFor({ timeout: attemptMs });
      } catch (error) {
        await w.wb.dismiss(); // a server that has died and is coming back is in the next list
        throw error;
      }
    }, `${tool} of ${server} in the list`);
    await w.wb.searchAndPick(tool, inRow);
  };
  const result = (part: string) =>
    w.host.until((vscode, text) => {
      const shown = vscode.window.activeTextEditor?.document.getText();
      return shown?.includes(text) ? shown : undefined;
    }, part);

  // What is asked with every kind of field: by the reference server of the legacy era, and in rounds by our own.
  const eras = [
    {
      era: 'legacy',
      version: '2025-11-25',
      server: 'asker',
      former: 'everything',
      name: 'String',
      tool: 'Trigger Elicitation Request Tool',
    },
    { era: 'modern', version: '2026-07-28', server: 'modern', former: 'modern', name: 'Name', tool: 'ask-everything' },
  ] as const;
  for (const { era, version, server, former, name, tool } of eras) {
    describe(`a form of a server of the ${era} era`, () => {
      before(async () => {
        for (const id of [server, former]) await w.wb.hover(w.wb.tree('Servers').row(id), version);
      });

      it('opens after a call as a page, and keeps what is filled in while it is hidden', async () => {
        await run(tool, former);
        await page()
          .getByRole('heading', { name: `MCP server "${former}" asks for input` })
          .waitFor();
        await page().getByText('Please provide inputs').waitFor();
        await press('Submit');
        await page()
          .locator('.field', { has: field(name) })
          .getByText('A value is required')
          .waitFor();
        await field(name).fill('Ada Lovelace');
        await field('email').fill('nobody');
        await page()
          .getByText(/valid email/)
          .waitFor();
        if (era === 'modern') {
          await assertAccessibleInThemes(w, 'elicitation-page-form');
          await useTheme(w, 'Default Light Modern');
          await w.page.setViewportSize({ width: 360, height: 800 });
          await w.picture('elicitation-page-form-narrow');
          await w.page.setViewportSize({ width: 1_400, height: 900 });
        } else await w.picture('elicitation-page-form-legacy');
        await w.host.command('workbench.action.files.newUntitledFile');
        await w.wb.tab('Untitled-1').waitFor();
        await w.host.command('workbench.action.closeActiveEditor');
        await eventually(async () => assert.equal(await field(name).inputValue(), 'Ada Lovelace'));
      });

      it('sends nothing but what is there when Submit is pressed', async () => {
        await field('email').fill('ada@example.com');
        await field('email').press('Enter');
        await page().getByRole('button', { name: 'Submit', exact: true }).and(page().locator(':focus')).waitFor();
        await press('Submit');
        const shown = await result('"action": "accept"');
        for (const text of ['Ada Lovelace', 'ada@example.com', '"integer": 42'])
          assert.ok(shown?.includes(text), `${text} in ${shown}`);
      });

      it('is declined by its button, and cancelled by closing the page', async () => {
        await run(tool, former);
        await press('Decline');
        await result('"action": "decline"');
        await run(tool, former);
        await page().getByRole('button', { name: 'Not Now', exact: true }).waitFor();
        await w.host.command('workbench.action.closeActiveEditor');
        await result('"action": "cancel"');
      });

      it('is asked step by step on request, one for each field, with Back', async () => {
        await run(tool, former);
        await inSteps();
        await step('name');
        await eventually(async () =>
          assert.match(await title().innerText(), new RegExp(`^${former} asks: Please provide inputs`)),
        );
        await w.picture(`elicitation-first-${era}`);
        await enter();
        await says(/required/);
        await w.wb.input('Ada Lovelace');
        await step('check');
        await w.picture(`elicitation-boolean-${era}`);
        await button('Back').click();
        await step('name');
        await eventually(async () =>
          assert.equal(await w.wb.quickInput.locator('.quick-input-box input').inputValue(), 'Ada Lovelace'),
        );
        await enter();
        await step('check');
        await w.wb.pick('true');
      });

      it('checks input while it is typed', async () => {
        await step('firstLine');
        await enter();
        await step('email');
        await w.wb.input('nobody');
        await says(/valid email/);
        await w.picture(`elicitation-invalid-${era}`);
        await w.wb.input('ada@example.com');
        await step('homepage');
        await w.wb.input('https://example.com');
        await step('birthdate');
        await w.wb.input('1815-02-30');
        await says(/Enter a date: YYYY-MM-DD/);
        await w.wb.input('1815-12-10');
        await step('integer');
        await w.wb.input('101');
        await says(/Must be at most 100/);
        await w.wb.input('7');
        await step('number');
        await enter();
      });

      it('offers choices with titles, single and multiple', async () => {
        await step('untitledSingleSelectEnum');
        await w.picture(`elicitation-choice-${era}`);
        await enter();
        await step('untitledMultipleSelectEnum');
        await w.picture(`elicitation-several-${era}`);
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
        await w.picture(`elicitation-summary-${era}`);
        await row('ada@example.com').click();
        await step('email');
        await w.wb.input('countess@example.com');
        await row('countess@example.com').waitFor();
        await row('Submit').click();
        const shown = await result('"action": "accept"');
        for (const text of ['countess@example.com', '"hero-3"', '"pet-2"', '"integer": 7', '1815-12-10'])
          assert.ok(shown?.includes(text), `${text} in ${shown}`);
        await w.picture(`elicitation-sent-${era}`);
      });

      it('can be declined in every step, and Escape only dismisses it', async () => {
        await run(tool, former);
        await inSteps();
        await step('name');
        await button('Decline').click();
        await result('"action": "decline"');
        await run(tool, former);
        await inSteps();
        await step('name');
        await w.wb.dismiss();
        await result('"action": "cancel"');
      });

      it('warns when it asks for a secret; a long message can be read in full', async () => {
        await run('ask-secret', server);
        await step('password');
        await says(/must not ask for secrets/);
        await eventually(async () =>
          assert.equal(await w.wb.quickInput.locator('.quick-input-box input').getAttribute('type'), 'password'),
        );
        await button('Show the Full Message').click();
        await w.wb.tab(`${server}.txt`).waitFor();
        await w.picture(`elicitation-secret-${era}`);
        await w.wb.input('hunter2');
        await row('••••').waitFor();
        await w.picture(`elicitation-secret-summary-${era}`);
        await row('Decline').click();
        await result('decline');
      });

      it('closes when the server dies', async () => {
        await run('ask-then-die', server);
        await step('password');
        goOn();
        await w.wb.quickInput.waitFor({ state: 'hidden' });
        await w.wb.notification('could not call ask-then-die');
        await w.picture(`elicitation-died-${era}`);
      });
    });

    describe(`a page of a server of the ${era} era`, () => {
      before(async () => {
        await w.host.command('notifications.clearAll');
        await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
      });

      it('opens only after consent, which shows its host exactly and names what is suspicious', async () => {
        await run('ask-page', server);
        const { text, detail, buttons } = await w.wb.modal();
        await w.picture(`elicitation-page-${era}`);
        assert.match(text, new RegExp(`"${server}" asks you to open a page on xn--`));
        for (const part of [
          'Sign in to go on.',
          'Host: xn--',
          'раураӏ.com',
          'looks like paypal.com',
          '@',
          '8443/login?next=%2Fsettings',
        ])
          assert.ok(detail.includes(part), `${part} in ${detail}`);
        assert.deepEqual(buttons.toSorted(), ['Decline', 'Not Now', 'Open']);
        await w.wb.answerModal('Decline');
        await result('decline');
      });

      it('that follows a form is asked for after it, and the call ends with the last answer', async () => {
        await run('ask-form-then-page', server);
        await step('name');
        await w.wb.input('Ada');
        await row('Submit').click();
        const { text } = await w.wb.modal();
        assert.match(text, new RegExp(`"${server}" asks you to open a page on example.com`));
        await w.wb.answerModal('Decline');
        const shown = await result('decline');
        assert.doesNotMatch(shown ?? '', /Ada/);
      });

      it('is not opened by Escape', async () => {
        await run('ask-page', server);
        await w.wb.modal();
        await w.wb.dismiss(w.wb.dialog);
        await result('cancel');
      });
    });
  }

  describe('legacy era:', () => {
    it('a form closes when the server cancels it', async () => {
      await run('ask-then-cancel');
      await step('password');
      goOn();
      await w.wb.notification('is no longer waiting for your answer');
      await w.wb.quickInput.waitFor({ state: 'hidden' });
      await w.picture('elicitation-cancelled');
    });

    it('a page that a call needs first is opened, and the call repeated when the server reports completion', async () => {
      await run('ask-required-page');
      await w.wb.modal();
      const opens = w.page.context().waitForEvent('page');
      await w.wb.answerModal('Open');
      await (await opens).close(); // behind another page the browser draws once a second
      await w.wb.notification('needs you to finish there first');
      await w.picture('elicitation-page-waits');
      goOn();
      const ready = 'asker is ready. Do you want to try again';
      await w.wb.notification(ready);
      await w.picture('elicitation-page-done');
      await answerNotification(w, ready, 'Try Again');
      await result('done');
    });
  });
});

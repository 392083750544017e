import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { eventually, persist } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { npmServerPath } from '../servers/npm';
import { fixturePath } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';

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

  const page = () => w.wb.webview();
  const field = (name: string) => page().getByLabel(name).first();
  const press = (name: string) => page().getByRole('button', { name, exact: true }).click();
  const asks = (server: string) =>
    page()
      .getByRole('heading', { name: `MCP server "${server}" asks for input` })
      .waitFor();
  const run = (tool: string, server = 'asker') =>
    persist(async () => {
      try {
        await runTool(w, tool, { row: new RegExp(`${tool}.*${server}`, 's') });
      } catch (error) {
        await w.wb.dismiss(); // a server that has died and is coming back is in the next list
        throw error;
      }
    }, `${tool} of ${server} in the list`);
  const result = (part: string) => resultOf(w, part);
  /** What the tool has got, shown as text or as a tree, once it is this action: all of it. */
  const answer = async (action: 'accept' | 'cancel' | 'decline') => {
    await resultOf(w, new RegExp(`action"?: "${action}"`));
    for (const closed of await page().locator('.result details:not([open]) > summary').all()) await closed.click();
    return resultOf(w, /action/);
  };

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

      it('opens after a call as a page, and keeps what is filled in while it is hidden @elicitation.opens-call-page', async () => {
        await run(tool, former);
        await asks(former);
        await page().getByText('Please provide inputs').waitFor();
        await page()
          .getByText(/The call of \S+ waits for it\. Decline says that you refuse,/)
          .waitFor();
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

      it('sends nothing but what is there when Submit is pressed @elicitation.sends-submit-pressed', async () => {
        await field('email').fill('ada@example.com');
        await field('email').press('Enter');
        await page().getByRole('button', { name: 'Submit', exact: true }).and(page().locator(':focus')).waitFor();
        await press('Submit');
        const shown = await answer('accept');
        for (const text of [/Ada Lovelace/, /ada@example\.com/, /integer"?: 42/]) assert.match(shown, text);
      });

      it('is declined by its button, and cancelled by closing the page @elicitation.declined-button-cancelled', async () => {
        await run(tool, former);
        await asks(former);
        await press('Decline');
        await answer('decline');
        await run(tool, former);
        await asks(former);
        await press('Cancel');
        await answer('cancel');
        await run(tool, former);
        await asks(former);
        await w.host.command('workbench.action.closeActiveEditor');
        await answer('cancel');
      });

      it('checks formats and bounds while they are entered, and offers choices with titles @elicitation.checks-formats-bounds', async () => {
        await run(tool, former);
        await asks(former);
        await field(name).fill('Ada Lovelace');
        await field('email').fill('nobody');
        await page()
          .getByText(/valid email/)
          .waitFor();
        await field('email').fill('countess@example.com');
        await page().locator('input[type=date]').fill('1815-12-10');
        await field('Integer').fill('101');
        await page().getByText('Must be at most 100').waitFor();
        await field('Integer').fill('7');
        await page().getByRole('combobox').filter({ hasText: 'Wonder Woman' }).selectOption('Wonder Woman');
        await page().getByRole('combobox').filter({ hasText: 'Dogs' }).selectOption('Dogs');
        await w.picture(`elicitation-filled-${era}`);
        await press('Submit');
        const shown = await answer('accept');
        for (const text of [/countess@example\.com/, /"hero-3"/, /"pet-2"/, /integer"?: 7/, /1815-12-10/])
          assert.match(shown, text);
      });

      it('warns when it asks for a secret, which is not shown @elicitation.warns-asks-secret', async () => {
        await run('ask-secret', server);
        await asks(server);
        await page()
          .getByText(/must not ask for secrets/)
          .waitFor();
        await eventually(async () => assert.equal(await page().locator('#field-0').getAttribute('type'), 'password'));
        await w.picture(`elicitation-secret-${era}`);
        await press('Decline');
        await result('decline');
      });

      it('closes when the server dies @elicitation.closes-server-dies', async () => {
        await run('ask-then-die', server);
        await asks(server);
        goOn();
        await result('could not call ask-then-die');
        await w.picture(`elicitation-died-${era}`);
      });
    });

    describe(`a page of a server of the ${era} era`, () => {
      before(async () => {
        await w.host.command('notifications.clearAll');
        await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
      });

      it('opens only after consent, which shows its host exactly and names what is suspicious @elicitation.opens-consent-shows', async () => {
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
        await asks(server);
        await page().locator('#field-0').fill('Ada');
        await press('Submit');
        const { text } = await w.wb.modal();
        assert.match(text, new RegExp(`"${server}" asks you to open a page on example.com`));
        await w.wb.answerModal('Decline');
        const shown = await result('decline');
        assert.doesNotMatch(shown, /Ada/);
      });

      it('is not opened by Escape @elicitation.opened-escape', async () => {
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
      await asks('asker');
      goOn();
      await w.wb.notification('is no longer waiting for your answer');
      await page().getByRole('heading', { name: 'asks for input' }).waitFor({ state: 'detached' });
      await w.picture('elicitation-cancelled');
    });

    it('a page that a call needs first is opened, and the call repeated when the server reports completion @elicitation.page-call-needs', async () => {
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

// From a fresh profile to the first approved tool call, as a new user goes.
import * as assert from 'node:assert/strict';
import { attemptMs, eventually, persist } from '../drivers/dom';
import { runForApp } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { publishStill, publishThemed } from './published';

const MAX_MS = 90_000;
const MAX_CLICKS = 8;
/** The side bar; with the editor; the chat; what is beside the activity bar. */
const SIDE_BAR = { x: 0, y: 34, width: 350, height: 310 };
const VIEW = { x: 0, y: 34, width: 640, height: 560 };
const CHAT = { x: 740, y: 34, width: 540, height: 696 };
/** Beside the side bar. */
const PAGE = { x: 352, y: 34, width: 600, height: 460 };
const EDITORS = { x: 52, y: 34, width: 1228, height: 440 };

describe('the first five minutes of a new user', () => {
  let w: Workbench;
  let clicks = 0;
  before(async () => {
    w = await openWorkbench({ workspace: 'fresh', viewport: { width: 1280, height: 760 } });
    await w.page.exposeFunction('testClick', () => void clicks++);
    await w.page.evaluate('addEventListener("pointerdown", () => testClick(), true)');
  });
  after(() => w?.close());

  const steps = () => w.page.locator('.getting-started-step');
  const openWalkthrough = async () => {
    await w.wb.command('Welcome: Open Walkthrough...');
    await w.wb.pick('Get Started with MCP Host');
    await steps().first().waitFor();
  };

  it('begin with a walkthrough of five steps, each with a picture that follows the theme', async () => {
    await w.wb.activity('MCP').click();
    await persist(async () => {
      await w.page.getByText('Get Started with MCP Host').first().click({ timeout: attemptMs });
      await w.page.locator('[data-step-id$="mcpHost.start.add"]').waitFor({ timeout: attemptMs });
    }, 'the walkthrough from the empty view');
    await w.host.command('workbench.action.closeSidebar');
    await eventually(async () => assert.equal(await steps().count(), 5));
    for (let n = 0; n < 5; n++) {
      await persist(
        async () => {
          await steps().nth(n).click({ timeout: attemptMs });
          await steps().nth(n).and(w.page.locator('[aria-expanded=true]')).waitFor({ timeout: attemptMs });
        },
        `step ${n + 1}`,
      );
      await w.page.locator('.getting-started-media img').first().waitFor();
      await w.picture(`first-walkthrough-${n + 1}`);
    }
    const shown = w.page.locator('.getting-started-media img').first();
    for (const [theme, name] of [
      ['Dark Modern', 'trace-dark.webp'],
      ['Default Light Modern', 'trace.webp'],
    ] as const) {
      await w.host.eval(
        (vscode, id) => vscode.workspace.getConfiguration().update('workbench.colorTheme', id, true),
        theme as string,
      );
      await shown.and(w.page.locator(`[srcset*="${name}"]`)).waitFor();
      if (name.includes('dark')) await w.picture('first-walkthrough-dark');
    }
    await w.host.command('workbench.action.closeAllEditors');
  });

  it('lead from an empty view to an approved tool call', async () => {
    clicks = 0;
    let took = 0;
    /** What a person does: its time counts, that of pictures does not. */
    const person = async <T>(act: () => Promise<T>): Promise<T> => {
      const began = Date.now();
      const result = await act();
      took += Date.now() - began;
      return result;
    };
    const add = w.page.getByRole('button', { name: 'Add Demo Server' });
    await person(async () => {
      await w.wb.activity('MCP').click();
      await add.waitFor();
    });
    await w.picture('first-1-empty');
    await publishThemed(w, 'media/walkthrough/add', SIDE_BAR);

    const tree = w.wb.tree('Servers');
    await person(async () => {
      await add.click();
      await tree.row('notebook').filter({ hasText: 'tools' }).waitFor();
    });
    await w.picture('first-2-server');

    await person(async () => {
      await persist(async () => {
        if (await w.wb.chat.locator.isVisible()) return;
        await w.page.keyboard.press('ControlOrMeta+Alt+i');
        await w.wb.chat.locator.waitFor({ timeout: 4 * attemptMs });
      }, 'the chat');
      await w.wb.chat.pickModel('Demo Model');
    });
    for (let n = 0; n < 4; n++) await w.host.command('workbench.action.increaseViewSize');
    const question = '@mcp Add a note: Learn MCP';
    const [response, allow] = await person(async () => {
      const asked = await w.wb.chat.send(question);
      const button = asked.getByRole('button', { name: 'Allow', exact: true });
      await button.waitFor();
      return [asked, button];
    });
    await w.picture('first-3-approval');
    await publishThemed(w, 'media/walkthrough/tool', CHAT);
    await person(async () => {
      await allow.click();
      await response.getByText(/The tool answered/).waitFor();
    });
    await w.picture('first-4-answer');

    console.log(`      ${(took / 1_000).toFixed(1)} s, ${clicks} clicks`);
    assert.ok(took <= MAX_MS, `${took} ms`);
    assert.ok(clicks > 0 && clicks <= MAX_CLICKS, `${clicks} clicks`);
  });

  it('continue with what else a server offers', async () => {
    await w.host.command('workbench.action.closeAuxiliaryBar');
    const [servers, resources] = [w.wb.tree('Servers'), w.wb.tree('Resources')];
    await openWalkthrough();
    const isDone = (step: string) =>
      steps()
        .and(w.page.locator(`[data-step-id$="mcpHost.start.${step}"]`))
        .locator('.complete')
        .isVisible();
    await eventually(async () => assert.ok(await isDone('add')));
    assert.equal(await isDone('look'), false, 'what it offers has not been seen');
    await w.host.command('workbench.action.closeAllEditors');
    await servers.expand('notebook');
    await servers.expand('Tools');
    await persist(async () => {
      await resources.row('Read me first').click({ timeout: attemptMs });
      await w.wb.tab('readme.md.mcp').waitFor({ timeout: attemptMs });
    }, 'the resource to be shown');
    await w.page.locator('.editor-instance .view-line', { hasText: 'otebook' }).first().waitFor();
    await w.picture('first-6-resource');
    await publishThemed(w, 'media/walkthrough/look', VIEW);

    await w.wb.command('MCP Host: Run Prompt…');
    await w.wb.pick('Review a note');
    await w.wb.webview().getByRole('heading', { name: 'Review a note' }).waitFor();
    await w.page.keyboard.press('ArrowDown');
    await w.wb.webview().getByRole('option', { name: 'plan', exact: true }).waitFor();
    await w.picture('first-7-prompt');
    await publishThemed(w, 'media/walkthrough/prompt', PAGE);

    await w.host.command('workbench.action.closeSidebar');
    await w.wb.command('MCP Host: Show Protocol Trace');
    const call = w.wb.webview().locator('[role=row]', { hasText: 'add_note' });
    await persist(async () => {
      await call.last().click({ timeout: attemptMs });
      await w.wb.webview().getByRole('button', { name: 'Send Again…' }).waitFor({ timeout: attemptMs });
    }, 'the message to be shown');
    await w.picture('first-8-trace');
    await publishThemed(w, 'media/walkthrough/trace', EDITORS);
  });

  it('end with an app', async () => {
    await runForApp(w, 'Show the board');
    await w.wb.answerModal('Show App');
    const app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
    await app.getByRole('heading', { name: 'plan', exact: true }).waitFor();
    await w.picture('first-9-app');
    await publishStill(w, 'docs/pictures/app', EDITORS);
  });

  it('are checked off in the walkthrough', async () => {
    await w.host.command('workbench.action.closeAuxiliaryBar');
    await w.host.command('workbench.action.closeSidebar');
    await openWalkthrough();
    for (const step of ['add', 'look', 'tool', 'prompt', 'trace']) {
      const done = steps().and(w.page.locator(`[data-step-id$="mcpHost.start.${step}"]`));
      await done.locator('.codicon-getting-started-step-checked.complete').waitFor();
    }
    await w.picture('first-5-done');
  });
});

describe('the walkthrough of an editor that does not know it yet', () => {
  let w: Workbench;
  before(async () => {
    // The editor waits for a service of experiments, which tests do not have, before it knows a walkthrough.
    const late = `() => {
      const race = Promise.race;
      const answered = new Promise(resolve => (window.answerExperiments = resolve));
      Promise.race = function (all) {
        const isOurs = /registerExtensionWalkthroughContributions/.test(new Error().stack);
        return isOurs ? answered.then(() => race.call(this, all)) : race.call(this, all);
      };
    }`;
    w = await openWorkbench({ workspace: 'fresh', early: page => page.addInitScript(`(${late})()`) });
  });
  after(() => w?.close());

  it('opens once the editor knows it, not one of the editor', async () => {
    await w.wb.activity('MCP').click();
    await w.page.getByText('Get Started with MCP Host').first().click();
    // Either page takes less than these many looks of the editor to come.
    const look = `new Promise(looked => {
      let looks = 0;
      const look = () => {
        if (looks++ > 100 || document.querySelector('.gettingStartedContainer')) looked();
        else requestAnimationFrame(look);
      };
      look();
    })`;
    await w.page.evaluate(`${look}.then(answerExperiments)`);
    await w.page.locator('[data-step-id$="mcpHost.start.add"]').waitFor();
  });
});

// Journeys with servers: to get them, to let them start, to mend them.
import { writeFileSync } from 'node:fs';
import { answersNamed } from '../../drivers/chat';
import { check, soon } from '../../drivers/dom';
import { whyNot } from '../../unit/host/sandbox/confined';
import type { Journey } from './journey';
import type { Person } from './person';
import { drift, hidden, team } from './places';

const withModel = ({ w }: Person) =>
  w.host.command('workbench.action.chat.open').then(() => w.wb.chat.pickModel('Demo Model'));

const firstCall: Journey = {
  name: 'first approved call',
  budget: { clicks: 4, questions: 1, pages: 0 },
  place: 'fresh',
  before: withModel,
  go: async person => {
    const { wb } = person.w;
    await person.does('view', () => wb.viewContainer('MCP'));
    await person.does('add the demo server', async () => {
      await person.w.page.getByRole('button', { name: 'Add Demo Server' }).click();
      await wb.tree('Servers').row('notebook').filter({ hasText: 'tools' }).waitFor();
    });
    const question = '@mcp Add a note: Learn MCP';
    await person.does('ask', async () => answersNamed(await person.asks(question), 'Allow').waitFor());
    const response = wb.chat.locator.locator('.interactive-response').last();
    await person.does('allow', async () => {
      await person.answers(answersNamed(response, 'Allow'));
      await response.getByText(/The tool answered/).waitFor();
    });
  },
};

const teamStart: Journey = {
  name: 'five servers of a team',
  budget: { clicks: 5, questions: 1, pages: 1 },
  place: 'team',
  go: async person => {
    const { wb } = person.w;
    const all = wb.quickInput.getByRole('checkbox', { name: 'Toggle all checkboxes' }).first();
    const onPage = wb.webview().getByRole('button', { name: 'Allow', exact: true });
    await person.does('open the view', () => wb.viewContainer('MCP'));
    await person.does('review', async () => {
      const notification = await wb.notification('5 MCP servers need your approval to start.');
      await notification.getByRole('button', { name: 'Review' }).click();
      await all.waitFor();
    });
    await person.does('check all', () => check(all, true));
    await person.does('see what they run', async () => {
      await wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
      await soon(async () => (await wb.dialog.isVisible()) || (await onPage.isVisible()), 'the question');
    });
    await person.does('allow', async () => {
      if (await wb.dialog.isVisible()) await wb.answerModal('Allow');
      else {
        await person.pressInPage(onPage);
        person.cost.pages++;
        person.cost.questions++;
      }
      for (const name of team) await wb.tree('Servers').row(name).filter({ hasText: 'tools' }).waitFor();
    });
  },
};

const hiddenFiles: Journey = {
  name: 'a confined server that cannot find its files',
  budget: { clicks: 4, questions: 1, pages: 0 },
  leftOut: whyNot,
  place: 'team',
  go: async person => {
    const { wb, page } = person.w;
    const tree = wb.tree('Servers');
    await person.does('see why', async () => {
      await wb.viewContainer('MCP');
      await tree.row('files').filter({ hasText: 'is confined' }).waitFor();
      await tree.expand('files');
    });
    await person.does('see the change', async () => {
      await tree.row(`Allow to Read ${hidden}/node_modules…`).click();
      await wb.tab('files: its entry, before ↔ proposed').waitFor();
    });
    await person.does('allow', async () => {
      const asked = await wb.notification('Change what "files" may do as shown?');
      await person.answers(asked.getByRole('button', { name: 'Allow', exact: true }));
      await tree.row('files').filter({ hasText: 'tools' }).waitFor();
    });
    await page.mouse.move(2, 2);
  },
};

const changedTool: Journey = {
  name: 'a tool that changed',
  budget: { clicks: 4, questions: 1, pages: 0 },
  place: 'team',
  before: async person => {
    const { wb } = person.w;
    await wb.viewContainer('MCP');
    await wb.tree('Servers').row('notes').filter({ hasText: 'tools' }).waitFor();
    await withModel(person);
    const response = await wb.chat.send('@mcp call notes__echo {"text": "hi"}');
    await answersNamed(response, 'Allow').click();
    await response.getByText(/The tool answered/).waitFor();
    writeFileSync(drift, '');
    await wb.tree('Servers').row('notes').filter({ hasText: 'to review' }).waitFor();
    await person.w.host.command('workbench.action.closeAuxiliaryBar');
    await person.w.host.command('notifications.clearAll');
  },
  go: async person => {
    const { wb, page } = person.w;
    const tree = wb.tree('Servers');
    await person.does('find it', async () => {
      await tree.expand('notes');
      await tree.expand('Tools');
      await tree.row('Echo').filter({ hasText: 'changed: blocked' }).waitFor();
    });
    await person.does('see the change', () => tree.open('Echo', wb.tab('echo of notes: accepted ↔ now')));
    await person.does('accept it', async () => {
      await person.answers(page.getByRole('button', { name: 'Accept Change' }).first());
      await tree.row('Echo').filter({ hasText: 'changed: blocked' }).waitFor({ state: 'hidden' });
    });
  },
};

const flood: Journey = {
  name: 'a call during a flood, with the trace open',
  budget: { clicks: 4, questions: 0, pages: 0 },
  place: 'team',
  before: async ({ w }) => {
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('loud').filter({ hasText: 'tools' }).waitFor();
    await w.host.command('workbench.action.closeSidebar');
  },
  go: async person => {
    const { wb } = person.w;
    const rows = wb.webview().getByRole('grid', { name: 'Messages' }).locator('.row');
    await person.does('open the trace', async () => {
      await wb.command('MCP Host: Show Protocol Trace');
      await rows.first().waitFor();
    });
    await person.does('flood', async () => {
      await wb.command('MCP Host: Run Tool…');
      await wb.searchAndPick('flood');
      await wb.webview().locator('#field-0').fill('25000');
      await wb.webview().locator('#field-0').press('Enter');
      await wb.webview().locator('.outcome', { hasText: 'OK' }).waitFor();
    });
    await person.does('come back to the trace', async () => {
      await wb.tab('Protocol Trace').first().click();
      // The request has made room for what came after it.
      await rows.filter({ hasText: 'answer' }).first().waitFor();
    });
  },
};

export const withServers: readonly Journey[] = [firstCall, teamStart, hiddenFiles, changedTool, flood];

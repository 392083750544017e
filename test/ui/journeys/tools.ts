// Journeys with what servers offer: tools, apps, forms, prompts, in tabs and in chat.

import { answersNamed } from '../../drivers/chat';
import { attemptMs, clickInRow, persist, shownText } from '../../drivers/dom';
import { answerNotification } from '../../drivers/notifications';
import { waitFor } from '../../servers/spawn';
import type { Journey } from './journey';
import type { Person } from './person';

/** The view, with this server ready. */
const ready =
  (...names: string[]) =>
  async ({ w }: Person) => {
    await w.wb.viewContainer('MCP');
    for (const name of names) await w.wb.tree('Servers').row(name).filter({ hasText: 'tools' }).waitFor();
  };

const inChat =
  (...names: string[]) =>
  async (person: Person) => {
    await ready(...names)(person);
    await person.w.host.command('workbench.action.chat.open');
    await person.w.host.command('workbench.action.chat.newChat');
    await person.w.wb.chat.pickModel('Demo Model');
  };

const runApp = async ({ w: { wb } }: Person, tool: string) => {
  await wb.command('MCP Host: Run Tool…', wb.quickInput.getByPlaceholder('Select a tool to run'));
  await wb.searchAndPick(tool);
  await wb.webview().locator('#field-0').fill('tea');
  await wb.webview().locator('#field-0').press('Enter');
};

/** @param says what the app asks for, which its heading then has. */
const app = (name: string, tool: string, says: string): Journey => ({
  name,
  budget: { clicks: 3, questions: 1, pages: 0 },
  place: 'team',
  before: ready('apps'),
  go: async person => {
    const { wb } = person.w;
    await person.does('run its tool', async () => {
      await runApp(person, tool);
      await wb.dialog.waitFor();
    });
    await person.does('allow it', async () => {
      await wb.answerModal('Show App');
      await wb.webview(1).locator('.heading', { hasText: says }).waitFor();
    });
  },
});

const quietApp = app('an app that names no hosts', 'show_board', 'no sites, no permissions');
const networkApp = app('an app that reaches hosts', 'show_domains', 'writing to the clipboard');

const form: Journey = {
  name: 'a form of a server',
  budget: { clicks: 3, questions: 1, pages: 1 },
  place: 'team',
  before: ready('everything'),
  go: async person => {
    const { wb } = person.w;
    const page = wb.webview();
    await person.does('run the tool', async () => {
      await wb.command('MCP Host: Run Tool…');
      await wb.searchAndPick('Trigger Elicitation Request Tool');
      await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).press('Enter');
      await page.getByRole('heading', { name: 'MCP server "everything" asks for input' }).waitFor();
      person.cost.questions++;
      person.cost.pages++;
    });
    await person.does('fill it in', async () => {
      await page.getByLabel('String').first().fill('Ada Lovelace');
      await page.getByLabel('email').first().fill('ada@example.com');
    });
    await person.does('submit', async () => {
      await person.pressInPage(page.getByRole('button', { name: 'Submit', exact: true }));
      await page.locator('.result', { hasText: 'Ada Lovelace' }).waitFor();
    });
  },
};

const demo: Journey = {
  name: 'the notes of the demo',
  budget: { clicks: 3, questions: 1, pages: 0 },
  place: 'fresh',
  before: async ({ w }) => {
    await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').update('servers', undefined, true));
    await w.host.command('workbench.action.chat.newChat');
    await w.wb.chat.pickModel('Demo Model');
    await w.wb.viewContainer('MCP');
    await w.page.getByRole('button', { name: 'Add Demo Server' }).waitFor();
  },
  go: async person => {
    const { page, wb } = person.w;
    await person.does('add it', async () => {
      await page.getByRole('button', { name: 'Add Demo Server' }).click();
      await wb.tree('Servers').row('notebook').filter({ hasText: 'tools' }).waitFor();
    });
    await person.does('search the notes', async () => {
      const response = await person.asks('@mcp call notebook__list_notes {}');
      const allow = answersNamed(response, 'Allow');
      await waitFor(async () => (await allow.count()) > 0 || /answered/.test(await shownText(response)), {
        what: 'a question or the answer',
      });
      if ((await allow.count()) > 0) await person.answers(allow);
      await response.getByText(/The tool answered/).waitFor();
    });
    await person.does('summarize', async () => {
      await person.asks('@mcp /daily_summary ');
      await wb.chat.locator.getByText('What has to happen').first().waitFor();
    });
  },
};

const reload: Journey = {
  name: 'a reload in the middle of a call',
  budget: { clicks: 2, questions: 1, pages: 0 },
  place: 'sample',
  before: inChat('notebook', 'everything'),
  go: async person => {
    const { wb } = person.w;
    await person.does('a long call', async () => {
      const response = await person.asks('@mcp call notebook__reindex {"steps": 1000, "delayMs": 50}');
      await person.answers(answersNamed(response, 'Allow'));
      await waitFor(async () => /Step \d+/.test(await shownText(response)), { what: 'progress in the answer' });
    });
    await person.does('reload', async () => {
      await person.w.reload();
      await wb.notification('Interrupted by a reload');
    });
    await person.does('ask again', async () => {
      await person.clicksOnce(() => answerNotification(person.w, 'Interrupted by a reload', 'Ask Again'));
      await answersNamed(wb.chat.locator.locator('.interactive-response').last(), 'Allow').waitFor();
    });
  },
};

const prompts: Journey = {
  name: 'a prompt from chat',
  budget: { clicks: 2, questions: 1, pages: 0 },
  place: 'sample',
  before: inChat('notebook', 'everything'),
  go: async person => {
    const { wb } = person.w;
    await person.does('see the prompts', async () => {
      const response = await person.asks('@mcp ');
      await response.getByRole('link', { name: '/args-prompt' }).waitFor();
    });
    await person.does('choose one', async () => {
      await wb.chat.locator.getByRole('link', { name: '/args-prompt' }).last().click();
      await wb.quickInput.waitFor();
      person.cost.questions++;
    });
    await person.does('give its arguments', async () => {
      await wb.input('Lisbon');
      const state = wb.quickInput.locator('.quick-input-title', { hasText: 'state' });
      await state.waitFor();
      // The focus leaves the first input before it is in the second: a key in between goes nowhere.
      await persist(async () => {
        if (await state.isVisible()) await wb.accept();
        await state.waitFor({ state: 'hidden', timeout: attemptMs });
      }, 'the state to be left empty');
      await wb.chat.locator
        .getByText(/weather in Lisbon/)
        .first()
        .waitFor();
    });
  },
};

const chooseTools: Journey = {
  name: 'tools for chat, kept as a profile',
  budget: { clicks: 4, questions: 1, pages: 0 },
  place: 'sample',
  before: ready('notebook', 'everything'),
  go: async person => {
    const { wb } = person.w;
    const server = wb.quickInput.locator('.monaco-list-row', { hasText: 'everything' }).first();
    await person.does('see them', async () => {
      await wb.command('MCP Host: Choose Tools for @mcp…');
      await server.waitFor();
    });
    await person.does('leave one server out', async () => {
      await clickInRow(server, 'Offer None');
      await server.filter({ hasText: '0 of 19 tools' }).waitFor();
    });
    await person.does('name the profile', async () => {
      // Its hover lies over the button.
      await person.w.page.mouse.move(0, 0);
      await wb.quickInput.getByRole('button', { name: 'Save as Profile…' }).click();
      await wb.quickInput.locator('.quick-input-title', { hasText: 'Save as Profile' }).waitFor();
      person.cost.questions++;
    });
    await person.does('save it', async () => {
      await wb.input('mine');
      await wb.notification('The profile "mine" was saved.');
    });
  },
};

const resource: Journey = {
  name: 'resources as files',
  budget: { clicks: 3, questions: 0, pages: 0 },
  place: 'sample',
  before: async ({ w: { wb } }) => {
    await wb.viewContainer('MCP');
    // Both: a row that comes later moves the others.
    for (const name of ['notebook', 'everything']) await wb.tree('Resources').row(name).waitFor();
    await wb.tree('Resources').expand('notebook');
    await wb.tree('Resources').row('archive').waitFor(); // in folders made from their URIs
  },
  go: async person => {
    const { wb, host, page } = person.w;
    const opened = (row: string, file: string) => person.clicksOnce(() => wb.tree('Resources').open(row, wb.tab(file)));
    await person.does('open text', async () => {
      await opened('Read me first', 'readme.md.mcp');
      await host.until(vscode => vscode.window.activeTextEditor?.document.languageId === 'mcp-host-markdown');
    });
    await person.does('open JSON', async () => {
      await opened('Project', 'project.json');
      await host.until(vscode => /\n {2}"/.test(vscode.window.activeTextEditor?.document.getText() ?? ''));
    });
    await page.keyboard.type('x');
    await page.locator('.monaco-editor-overlaymessage', { hasText: 'read-only' }).waitFor();
    await person.does('open a picture', async () => {
      await opened('Cover', 'cover.png');
      await wb.webview().locator('img').waitFor();
    });
  },
};

export const withTools: readonly Journey[] = [quietApp, networkApp, form, demo, resource, prompts, chooseTools, reload];

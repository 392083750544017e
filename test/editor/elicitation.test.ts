import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { TextContent } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import { OpenQuestions } from '../../src/editor/openQuestions';
import { Elicitation } from '../../src/features/elicitation/elicitation';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { type HttpFixture, startHttpFixture, waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, logged, raw, run, setting } from './window';

async function call(server: ServerConnection, name: string, args: Record<string, unknown>): Promise<string> {
  const tool = server.catalog.tools.find(candidate => candidate.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  const { content } = await raw(server).callTool(tool, args);
  return content.map(part => (part as TextContent).text).join('\n');
}

const form = { message: 'Who are you?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };

/** One beside that of the window. */
async function ownElicitation(openQuestions = new OpenQuestions()): Promise<Elicitation> {
  const { servers, trust } = await api();
  return new Elicitation({
    servers,
    calls: { at: () => [] },
    audit: () => trust().audit,
    log: { log: () => {} },
    askForm: async () => ({ kind: 'cancel' }),
    openQuestions,
  });
}

describe('elicitation', () => {
  let http: HttpFixture;
  before(async () => {
    http = await startHttpFixture();
  });
  afterEach(() => configure(undefined));
  after(() => http.stop());

  it('is declared to server-everything, which then offers tools that ask @elicitation.declared-server-offers', async () => {
    await configure({ everything: run(npmServerPath('everything'), 'stdio') });
    const { catalog } = await loads('everything');
    const names = catalog.tools.map(({ name }) => name);
    assert.ok(names.includes('trigger-elicitation-request') && names.includes('trigger-url-elicitation'), names.join());
  });

  it('refuses pages that must not be opened, and too many questions, in both eras @elicitation.refuses-pages-opened', async () => {
    await configure({
      legacy: fixture('hostile', '--elicit'),
      modern: { type: 'http', url: http.url('/modern') },
    });
    for (const id of ['legacy', 'modern']) {
      const server = await loads(id);
      for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'command:workbench.action.quit']) {
        const params = { mode: 'url', url, message: 'x', elicitationId: 'e' };
        const said = await call(server, 'ask', { params }).catch((error: Error) => error.message);
        assert.match(said, /the page is not opened: only https/, `${id} ${url}`);
      }
      await logged(id, /its question was refused: the page is not opened/);
    }
  });

  it('refuses a flood of questions @elicitation.refuses-flood-questions', async () => {
    await configure({ flood: fixture('hostile', '--elicit') });
    const server = await loads('flood');
    const flood = call(server, 'ask', { params: form, times: 1_000, cancelLast: 5 });
    const answers = JSON.parse(await flood) as { message?: string }[];
    const refused = answers.filter(answer => /already waiting for the user|in a minute/.test(answer.message ?? ''));
    assert.equal(refused.length, 995);
    // They must not drive all else out of the audit log.
    const { trust } = await api();
    const recorded = (await trust().audit.read()).match(/"type":"elicitation","server":"flood","answer":"refused"/g);
    assert.equal(recorded?.length, 1);
  });

  it('refuses a question that nobody would read, before it waits among others', async () => {
    await configure({ long: fixture('hostile', '--elicit') });
    const params = { ...form, message: 'x'.repeat(1_000_001) };
    const said = await call(await loads('long'), 'ask', { params }).catch((error: Error) => error.message);
    assert.match(said, /it has more than 1000000 characters/);
  });

  it('asks once for a page that two calls need, and counts the editor closing the earlier notification as no answer', async () => {
    await configure({ pages: fixture('hostile') });
    const { definition } = await loads('pages');
    const elicitation = await ownElicitation();
    // The newest is accepted below, so there must be no other.
    await vscode.commands.executeCommand('notifications.clearAll');
    const shown = mock.method(vscode.window, 'showInformationMessage');
    try {
      const asked = [elicitation.visit(definition, []), elicitation.visit(definition, [])];
      // At once, and when the pages are done.
      await waitFor(() => shown.mock.callCount() === 4, { what: 'the questions' });
      await vscode.commands.executeCommand('notification.acceptPrimaryAction');
      assert.deepEqual(await Promise.all(asked), [true, true]);
    } finally {
      mock.restoreAll();
      elicitation.dispose();
      await vscode.commands.executeCommand('notifications.clearAll');
    }
  });

  it('lists unanswered questions, which can be answered from there and vanish when withdrawn', async () => {
    await configure({ asks: fixture('hostile') });
    const { definition } = await loads('asks');
    const openQuestions = new OpenQuestions();
    const elicitation = await ownElicitation(openQuestions);
    // A notification that the person never looks at.
    mock.method(vscode.window, 'showInformationMessage', () => new Promise(() => undefined));
    const opened = mock.method(vscode.window, 'createQuickPick');
    const withdraw = new AbortController();
    const ask = () => elicitation.elicit(definition, form as never, withdraw.signal).catch(() => undefined);
    try {
      const asked = ask();
      await waitFor(() => openQuestions.all.length === 1, { what: 'the question to wait' });
      const [question] = openQuestions.all;
      assert.equal(question?.message, 'Who are you?');
      question?.answer();
      await waitFor(() => opened.mock.callCount() > 0 || openQuestions.all.length === 0, { what: 'the form' });
      withdraw.abort();
      await asked;
      assert.deepEqual(openQuestions.all, []);
    } finally {
      mock.restoreAll();
      elicitation.dispose();
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    }
  });

  it('is written into the audit log without the answers @elicitation.written-audit-log', async () => {
    await configure({ audited: fixture('hostile', '--elicit') });
    const server = await loads('audited');
    await call(server, 'ask', { params: form, cancelAfterMs: 100 });
    const { audit } = (await api()).trust();
    await waitFor(
      async () => {
        const text = await audit.read();
        return text.includes('"withdrawn"') && text.includes('"fields":["a"]') && text.includes('elicitation');
      },
      { what: 'the audit log' },
    );
  });

  it('is not declared when settings say deny @elicitation.declared-settings-deny', async () => {
    await setting('elicitation', 'deny');
    try {
      await configure({ denied: fixture('hostile', '--elicit') });
      const said = await call(await loads('denied'), 'ask', { params: form });
      assert.match(said, /-32601/);
    } finally {
      await setting('elicitation', undefined);
    }
  });
});

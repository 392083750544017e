import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/events';
import { OpenQuestions } from '../../src/editor/openQuestions';
import { Elicitation } from '../../src/features/elicitation/elicitation';
import type { AskedForm } from '../../src/features/tools';
import type { RunningCall } from '../../src/host';
import type { ServerDefinition } from '../../src/host/definition';
import type { ServerSet } from '../../src/host/host';
import { waitFor } from '../servers/spawn';
import { watchPages } from './wholePages';
import { closeEditors } from './window';

/** What was shown, and a way to answer it. */
interface Shown {
  kind: 'information' | 'warning';
  text: string;
  isModal: boolean;
  choose: (button: string | undefined) => void;
}

const server = (id: string) => ({ id, name: id }) as ServerDefinition;
const page = (url: string) => ({ mode: 'url', url, message: 'Sign in.', elicitationId: url }) as const;
const long = `https://example.com/${'a'.repeat(1_200)}`;

describe('dialogs of servers', () => {
  const { showInformationMessage, showWarningMessage } = vscode.window;
  let shown: Shown[];
  let opened: string[];
  let elicitation: Elicitation;
  let abort: AbortController;
  /** Who has made the calls that servers work on. */
  let callers: RunningCall['client'][];
  let requestedAt: number | undefined;
  let forms: AskedForm[];
  let revealed: number;
  let answering: Promise<unknown> | undefined;
  /** The chat of the calls, and what it asks. */
  let chat: unknown;
  beforeEach(() => {
    [shown, opened, callers, forms] = [[], [], [], []];
    [revealed, answering, chat, requestedAt] = [0, undefined, undefined, undefined];
    abort = new AbortController();
    const show = (kind: Shown['kind']) => (text: string, first: unknown, focused: unknown) =>
      new Promise(choose => {
        const isModal = (first as vscode.MessageOptions | undefined)?.modal === true;
        // A key that was meant for something else opens nothing.
        assert.ok(!isModal || focused !== 'Open', text);
        shown.push({ kind, text, isModal, choose });
      });
    Object.assign(vscode.window, {
      showInformationMessage: show('information'),
      showWarningMessage: show('warning'),
    });
    const servers = {
      get: () => ({ state: { kind: 'ready' }, latestRequestAt: requestedAt }),
      onDidChange: new Emitter().event,
    };
    const openQuestions = new OpenQuestions();
    elicitation = new Elicitation({
      servers: servers as unknown as ServerSet,
      calls: {
        at: () => callers.map(client => ({ client, tool: { name: 'remind' }, chat }) as unknown as RunningCall),
      },
      audit: () => ({ record: () => {} }),
      log: { log: () => {} },
      askForm: async form => {
        form.opened?.(() => revealed++);
        forms.push(form);
        await answering;
        return { kind: 'cancel' };
      },
      openQuestions,
      open: async href => opened.push(href) > 0,
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage });
    elicitation.dispose();
    await closeEditors();
  });

  const forever = () => new AbortController().signal;
  const withText = (pattern: RegExp) =>
    waitFor(() => shown.find(({ text }) => pattern.test(text)), {
      what: () => `${pattern} in ${JSON.stringify(shown)}`,
    });
  const ask = (id: string, url: string, signal = forever()) => elicitation.elicit(server(id), page(url), signal);
  /** Answers the notification that asks whether to ask, and finds the dialog. */
  const dialogOf = async (id: string) => {
    (await withText(new RegExp(`"${id}" asks for input: `))).choose('Answer…');
    return withText(new RegExp(`"${id}" asks you to open`));
  };

  it('have a form that names the tool, says what its buttons do, and is linked from the answer that waits', async () => {
    const asked: { text: string; open: boolean; press: () => void }[] = [];
    chat = {
      ask: ({ text }: { text: string }, onAnswer: (answer: string) => void) => {
        const link = { text, open: true, press: () => onAnswer('show') };
        asked.push(link);
        return { dispose: () => (link.open = false) };
      },
    };
    callers = [undefined];
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
    const answer = elicitation.elicit(server('one'), { message: 'Who?', requestedSchema }, abort.signal);
    await waitFor(() => shown.length > 0, { what: 'the notification' });
    shown[0]!.choose('Answer…');
    await waitFor(() => forms.length > 0, { what: 'the form' });
    assert.equal(forms[0]!.facts?.[0], 'The call of remind waits for it.');
    assert.match(
      forms[0]!.facts?.[1] ?? '',
      /^Decline says that you refuse, .* usually end the call\. .* closing it cancels\.$/,
    );
    assert.deepEqual(
      asked.map(({ text, open }) => [text, open]),
      [['MCP server "one" asks for input in a form.', true]],
    );
    asked[0]!.press();
    assert.equal(revealed, 1);
    resolve();
    assert.deepEqual(await answer, { action: 'cancel' });
    assert.equal(asked[0]!.open, false, 'it is no longer linked');
  });

  it("open while another server's page waits for an answer", async () => {
    const slow = ask('slow', long);
    const dialog = await dialogOf('slow');
    assert.equal(dialog.isModal, true);
    const pages = watchPages();
    dialog.choose('Show All');
    const rest = await pages.opened();
    assert.ok(rest.text.replaceAll('\n', '').includes(long));
    const other = ask('other', 'https://example.com/');
    (await dialogOf('other')).choose('Open');
    assert.equal((await other).action, 'accept');
    rest.allow();
    pages.restore();
    assert.equal((await slow).action, 'accept');
    assert.deepEqual(opened, ['https://example.com/', long]);
  });

  it('open one after another; a withdrawn one opens nothing, and keeps its turn until closed', async () => {
    const withdrawn = ask('first', 'https://example.com/first', abort.signal);
    const dialog = await dialogOf('first');
    abort.abort();
    await assert.rejects(withdrawn);
    const next = ask('first', 'https://example.com/next');
    const isNext = ({ text }: Shown) => text.includes('asks for input: ');
    await waitFor(() => shown.filter(isNext).length === 2, { what: 'the next question' });
    shown.findLast(isNext)!.choose('Answer…');
    assert.equal(shown.filter(({ isModal }) => isModal).length, 1);
    dialog.choose('Open');
    await withText(/"first" is no longer waiting/);
    await waitFor(() => shown.filter(({ isModal }) => isModal).length === 2, { what: 'the next dialog' });
    shown.findLast(({ isModal }) => isModal)!.choose('Open');
    assert.equal((await next).action, 'accept');
    assert.deepEqual(opened, ['https://example.com/next']);
  });

  it('name the extension or agent behind a question, unless several could be the cause', async () => {
    const agent = { id: 'claude-code', name: 'Claude\u202eCode' };
    callers = [agent, agent];
    // What an agent has just called is not awaited by the person, who may be typing.
    requestedAt = Date.now();
    const asked = ask('first', 'https://example.com/');
    (await withText(/^MCP server "first" asks for input, for Claude\S*Code: Sign in\.$/)).choose('Answer…');
    const dialog = await withText(/^MCP server "first" asks you, for Claude\S*Code, to open a page on example\.com$/);
    assert.ok(!dialog.text.includes('\u202e'));
    dialog.choose('Decline');
    await asked;
    requestedAt = undefined;
    for (const other of [undefined, { id: 'codex', name: 'Codex' }]) {
      shown = [];
      callers = [agent, other];
      const uncertain = ask('first', 'https://example.com/');
      (await dialogOf('first')).choose('Decline');
      assert.equal((await uncertain).action, 'decline');
    }
  });

  it('do not open from the notification of a withdrawn question, which reports the withdrawal', async () => {
    const withdrawn = ask('first', 'https://example.com/', abort.signal);
    const question = await withText(/"first" asks for input: /);
    abort.abort();
    await assert.rejects(withdrawn);
    question.choose('Answer…');
    await withText(/"first" is no longer waiting/);
    assert.ok(shown.every(({ isModal }) => !isModal));
  });

  it('open after questions that were withdrawn while the person was away, whose notifications stay', async () => {
    for (let asked = 1; asked <= 7; asked++) {
      const away = new AbortController();
      const withdrawn = ask('first', 'https://example.com/', away.signal);
      const questions = () => shown.filter(({ text }) => text.startsWith('MCP server "first" asks for input: '));
      await waitFor(() => questions().length === asked, { what: 'the question' });
      away.abort();
      await assert.rejects(withdrawn, { name: 'AbortError' });
    }
    shown = [];
    const answered = ask('first', 'https://example.com/');
    (await dialogOf('first')).choose('Decline');
    assert.equal((await answered).action, 'decline');
  });
});

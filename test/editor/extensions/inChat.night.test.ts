import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { CallToolResult, TextContent } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { CallChat, ChatQuestion, RunningCalls, ServerConnection } from '../../../src/host';
import { waitFor } from '../../servers/spawn';
import { since } from '../../setup/since';
import { watchPages } from '../wholePages';
import { api, configure, fixture, loads } from '../window';
import {
  answer,
  audited,
  closed,
  confirm,
  deny,
  type Got,
  isAnswered,
  pressConfirm,
  question,
  replace,
  request,
  set,
  shown,
} from './reviews';

/** What the answer of a turn shows of questions, and buttons to press. */
class Answer implements CallChat {
  readonly #stopped = new AbortController();
  readonly #over = new AbortController();
  readonly stopped = this.#stopped.signal;
  readonly over = this.#over.signal;
  readonly said: string[] = [];
  open: (ChatQuestion & { press: (answer: string) => void }) | undefined;

  say(text: string): void {
    this.said.push(text);
  }

  ask(question: ChatQuestion, press: (answer: string) => void) {
    const asked = { ...question, press };
    this.open = asked;
    return {
      dispose: () => {
        if (this.open === asked) this.open = undefined;
      },
    };
  }

  stop = () => this.#stopped.abort();
  end = () => this.#over.abort();

  async question(pattern: RegExp): Promise<ChatQuestion> {
    await waitFor(() => this.open && pattern.test(this.open.text), {
      what: () => `a question like ${pattern}; there is ${this.open?.text}, and it said ${this.said.join(' | ')}`,
    });
    return this.open!;
  }

  press(title: string): void {
    const [value] = this.open?.buttons.find(([, shown]) => shown === title) ?? [];
    assert.ok(value, `no button ${title} in ${JSON.stringify(this.open?.buttons)}`);
    this.open!.press(value);
  }
}

since('language models of extensions').describe('sampling inside a chat turn', () => {
  afterEach(() => mock.restoreAll());
  before(async () => {
    const { context } = await api();
    await configure({ first: fixture('hostile') });
    await waitFor(() => context.globalState.get('mcpHost.hasModels'), { what: 'the models' });
    await set('requestsPerMinute', 1_000);
  });
  after(async () => {
    await set('requestsPerMinute', undefined);
    await configure(undefined);
  });

  for (const era of ['legacy', 'modern'] as const) {
    describe(`of the ${era} era`, () => {
      let server: ServerConnection;
      before(async () => {
        await configure({ [era]: era === 'modern' ? fixture('sampling', '--modern') : fixture('sampling') });
        server = await loads(era);
      });

      /** As the turn of a chat does. */
      const ask = async (chat: CallChat | undefined, params: object, signal?: AbortSignal): Promise<Got> => {
        const tool = server.catalog.tools.find(({ name }) => name === 'ask')!;
        const wanted = { server, tool, args: { params }, origin: 'chat', chat: 'one' } as const;
        const { calls } = (await api()).trust();
        const approved = await calls.approve(wanted, async () => ({ answer: 'allow' }));
        assert.ok(approved.approved);
        const { result } = await approved.run({ ...(chat && { chat }), ...(signal && { signal }) }).finally(isAnswered);
        return JSON.parse((result.content[0] as TextContent).text);
      };

      it("is reviewed in its answer, both the request and the model's reply", async () => {
        const chat = new Answer();
        const called = ask(chat, question('hello', { temperature: 0.5, systemPrompt: 'Be brief.' }));
        const asked = await chat.question(
          /requests an answer from a language model, for ask\. Demo Model: 1 message, about \d+ tokens/,
        );
        assert.deepEqual(asked.quotes, [
          { by: 'system prompt', text: 'Be brief.' },
          { by: 'user', text: 'hello' },
        ]);
        assert.deepEqual(JSON.parse(asked.json!), { maxTokens: 1_000, temperature: 0.5 });
        assert.deepEqual(
          asked.buttons.map(([, title]) => title),
          ['Send to Demo Model', 'Edit…', 'Choose Model…', 'Deny'],
        );
        assert.equal(shown(), undefined, 'no document is opened');
        chat.press('Send to Demo Model');
        const answered = await chat.question(/demo-model answered\. This goes to MCP server/);
        assert.deepEqual(answered.quotes, [{ by: 'demo-model', text: 'You said: hello' }]);
        assert.deepEqual(JSON.parse(answered.json!), { stopReason: 'endTurn' });
        assert.deepEqual(
          answered.buttons.map(([, title]) => title),
          ['Send Answer to Server', 'Edit…', 'Discard'],
        );
        chat.press('Send Answer to Server');
        assert.equal((await called).content.text, 'You said: hello');
        assert.deepEqual(chat.said, ['Sent to Demo Model.', `Returned to ${era}.`]);
        assert.equal(chat.open, undefined);
        await audited(new RegExp(`"server":"${era}","answer":"send","model":"demo-model"`));
      });

      it('is edited in its document, and can be sent from either place', async () => {
        const chat = new Answer();
        const called = ask(chat, question('hello'));
        await chat.question(/requests an answer from a language model/);
        chat.press('Edit…');
        await waitFor(shown, { what: 'the document' });
        await replace(await request(), 'hello', 'good evening');
        chat.press('Send to Demo Model');
        await chat.question(/answered/);
        chat.press('Edit…');
        await replace(await answer(), 'You said', 'She said');
        await confirm();
        assert.equal((await called).content.text, 'She said: good evening');
        assert.deepEqual(chat.said, ['Sent to Demo Model, as edited by you.', `Returned to ${era}, as edited by you.`]);
        await closed();
      });

      it('is denied and discarded there', async () => {
        const denied = new Answer();
        const first = ask(denied, question('hello')).catch((error: Error) => error.message);
        await denied.question(/requests an answer from a language model/);
        denied.press('Deny');
        assert.match(JSON.stringify(await first), /User rejected sampling request/);
        assert.deepEqual(denied.said, ['Denied.']);
        const discarded = new Answer();
        const second = ask(discarded, question('hello')).catch((error: Error) => error.message);
        await discarded.question(/requests an answer from a language model/);
        discarded.press('Send to Demo Model');
        await discarded.question(/answered/);
        discarded.press('Discard');
        assert.match(JSON.stringify(await second), /User rejected the answer/);
        assert.deepEqual(discarded.said, ['Sent to Demo Model.', 'Discarded.']);
      });

      it('shows the start of a long one, and sends it from a page that shows all of it @inChat.shows-start-long', async () => {
        const pages = watchPages();
        const chat = new Answer();
        const called = ask(chat, question(`${'long '.repeat(2_000)}the end`, { maxTokens: 100_000 }));
        const titles = (question: ChatQuestion) => question.buttons.map(([, title]) => title);
        const asked = await chat.question(/requests an answer from a language model/);
        assert.equal(asked.quotes![0]!.text.length, 37 * 70 + 1);
        assert.equal(asked.note, '106 more rows are not shown here.');
        assert.deepEqual(titles(asked), ['Show all…', 'Edit…', 'Choose Model…', 'Deny']);
        chat.press('Show all…');
        (await pages.opened()).close();
        chat.press('Show all…');
        const page = await pages.opened(2);
        assert.match(page.text, /the end"/);
        page.press('Send to Demo Model');
        const answered = await chat.question(/answered/);
        assert.equal(page.isOpen, false);
        assert.deepEqual(titles(answered), ['Show all…', 'Edit…', 'Discard']);
        chat.press('Show all…');
        (await pages.opened(3)).press('Send Answer to Server');
        assert.match((await called).content.text, /^You said: long .* the end$/);
        assert.deepEqual(chat.said, ['Sent to Demo Model.', `Returned to ${era}.`]);
      });

      it('counts gaps, and can be denied from the page too', async () => {
        const pages = watchPages();
        const chat = new Answer();
        const first = ask(chat, question(`look${' '.repeat(9_000)}here`)).catch((error: Error) => error.message);
        const asked = await chat.question(/requests an answer from a language model/);
        assert.deepEqual(asked.quotes, [{ by: 'user', text: 'look⟨9000 spaces⟩here' }]);
        chat.press('Deny');
        await first;
        const second = ask(chat, question('\n'.repeat(200))).catch((error: Error) => error.message);
        await chat.question(/requests an answer from a language model/);
        chat.press('Show all…');
        (await pages.opened()).press('Deny');
        assert.match(JSON.stringify(await second), /User rejected sampling request/);
      });

      it('can be sent from its document directly only when short, and when no workspace setting changes how it is drawn @inChat.sent-document-directly', async () => {
        const pages = watchPages();
        /** Pages that ask once more, about the whole JSON; conversations are others. */
        const whole = (count = 0) =>
          waitFor(
            () => {
              for (const page of pages.all) if (page.got.length === 0) page.say({ type: 'ready' });
              const found = pages.all.filter(({ start }) => !start.others.includes('Edit as JSON…'));
              return found.length >= count && found;
            },
            { what: () => `${count} pages with the whole JSON` },
          );
        /** Asked, and confirmed by the words above its document. */
        const sent = async (text: string) => {
          const called = ask(undefined, question(text));
          await request();
          return { called, confirmed: pressConfirm() };
        };
        const editor = vscode.workspace.getConfiguration('editor');
        await editor.update('wordWrapColumn', 3, vscode.ConfigurationTarget.Workspace);
        try {
          const { called } = await sent('hello');
          const [page] = await whole(1);
          assert.match(page!.text, /"text": "hello"/);
          page!.press('Send to Demo Model');
          await answer();
          void pressConfirm();
          (await whole(2))[1]!.press('Send Answer to Server');
          assert.equal((await called).content.text, 'You said: hello');
        } finally {
          await editor.update('wordWrapColumn', undefined, vscode.ConfigurationTarget.Workspace);
        }
        const { called, confirmed } = await sent('hello');
        await confirmed;
        await answer();
        await pressConfirm();
        await called;
        assert.equal((await whole()).length, 2);
        const long = await sent('line\n'.repeat(100));
        (await whole(3))[2]!.press('Deny');
        const refused = await long.called.catch((error: Error) => error.message);
        assert.match(JSON.stringify(refused), /User rejected sampling request/);
      });

      it('ends with its turn, without further questions', async () => {
        const chat = new Answer();
        const stopped = new AbortController();
        const called = ask(chat, question('hello'), stopped.signal);
        called.catch(() => undefined);
        await chat.question(/requests an answer from a language model/);
        chat.press('Edit…');
        await waitFor(shown, { what: 'the document' });
        chat.stop();
        stopped.abort();
        chat.end();
        await assert.rejects(called, { code: 'CANCELLED' });
        await closed();
        assert.equal(chat.open, undefined);
        await audited(new RegExp(`"server":"${era}","answer":"cancelled"`));
      });

      it('continues outside an answer that takes no more questions', async () => {
        const chat = new Answer();
        const called = ask(chat, question('hello'));
        await chat.question(/requests an answer from a language model/);
        chat.end();
        await waitFor(() => chat.open === undefined, { what: 'the question to be taken back' });
        await request();
        await confirm();
        await answer();
        await confirm();
        assert.equal((await called).content.text, 'You said: hello');
      });

      it('is not asked in a chat when another call may have caused it', async () => {
        const chat = new Answer();
        const other = Promise.withResolvers<CallToolResult>();
        const calls = (await api()).calls() as RunningCalls;
        // Of this call the server never hears: it lasts as long as the test wants.
        const send = () => other.promise;
        const running = calls.make({ server, tool: server.catalog.tools[0]!, args: {}, send }, {});
        try {
          const called = ask(chat, question('hello')).catch((error: Error) => error.message);
          await request();
          assert.equal(chat.open, undefined);
          await deny();
          assert.match(JSON.stringify(await called), /User rejected sampling request/);
        } finally {
          other.resolve({ content: [] });
          await running;
        }
        await closed();
      });
    });
  }
});

import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { confirmDestructive } from '../../src/features/tools/runTool';
import { CallQuestion } from '../../src/features/trust/callQuestion';
import type { PersonsAnswer } from '../../src/features/trust/core/toolCalls';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { watchPages } from './wholePages';

describe('questions about calls from elsewhere', () => {
  let question: CallQuestion;
  let pages: ReturnType<typeof watchPages>;
  const server = { id: 'asks', name: 'asks' } as ServerConnection;
  const tool = { name: 'write', inputSchema: { type: 'object' as const } };
  beforeEach(() => {
    question = new CallQuestion();
    pages = watchPages();
  });
  afterEach(() => {
    question.dispose();
    mock.restoreAll();
  });

  function ask(args: Record<string, unknown>) {
    const state: { answer?: PersonsAnswer | undefined; done: boolean } = { done: false };
    void question.ask({ server, tool, args, origin: 'languageModelTool' }, 'new').then(answer => {
      state.answer = answer;
      state.done = true;
    });
    return state;
  }
  /** What dialogs are asked to show. */
  function dialogs(answer?: string) {
    const details: string[] = [];
    mock.method(
      vscode.window,
      'showWarningMessage',
      async (_message: string, options: vscode.MessageOptions, first: string) => {
        // It has the focus: a key that was meant for something else must not allow anything.
        assert.ok(['Deny', "Don't Run"].includes(first), first);
        details.push(options.detail ?? '');
        return answer;
      },
    );
    return details;
  }
  const settled = () => new Promise(resolve => setImmediate(resolve));

  it('show long arguments on a page each, and are answered at its end @callQuestion.show-long-arguments', async () => {
    const first = ask({ text: `${'a'.repeat(5_000)} one` });
    const second = ask({ text: `${'b'.repeat(5_000)} two` });
    const page = await pages.opened(2);
    assert.equal(pages.all.length, 2);
    assert.match(page.text, /two"/);
    assert.match(page.start.notes.join(), /This tool is new/);
    page.press('Allow Once');
    await waitFor(() => second.done, { what: 'the answer' });
    assert.deepEqual([second.answer, first.done], [{ answer: 'allow' }, false]);
    assert.deepEqual([pages.all[0]!.isOpen, page.isOpen], [true, false]);
    pages.all[0]!.close();
    await waitFor(() => first.done, { what: 'the first to be closed' });
    assert.equal(first.answer, undefined);
  });

  it('can not be allowed before the end of the page is there, but denied @callQuestion.allowed-end-page', async () => {
    const asked = ask({ lines: Array.from({ length: 5_000 }, (_, number) => `line ${number}`) });
    const page = await pages.opened();
    assert.equal(page.isWhole, false);
    for (const answer of ['Allow Once', 'Always Allow', '0', 'allow', '__proto__'])
      page.say({ type: 'answer', answer });
    await settled();
    assert.equal(asked.done, false);
    while (!page.isWhole) page.say({ type: 'more' });
    assert.match(page.text, /line 4999/);
    page.press('Always Allow');
    await waitFor(() => asked.done, { what: 'the answer' });
    assert.deepEqual(asked.answer, { answer: 'allow', scope: 'workspace' });

    const denied = ask({ lines: Array.from({ length: 5_000 }, (_, number) => `line ${number}`) });
    (await pages.opened(2)).press('Deny');
    await waitFor(() => denied.done, { what: 'the refusal' });
    assert.deepEqual(denied.answer, { answer: 'deny' });
  });

  it('are a dialog only if it can show everything, gaps, hidden characters and long lines included @callQuestion.dialog-show-gaps', async () => {
    const details = dialogs('Allow Once');
    for (const args of [
      { a: `x${' '.repeat(15_000)}rm -rf` },
      { a: '\u202etxt.exe' },
      { a: `one${'\n'.repeat(200)}rm -rf` },
      { a: 'x'.repeat(600) },
    ]) {
      const asked = ask(args);
      await waitFor(() => asked.done, { what: 'the answer' });
      assert.deepEqual(asked.answer, { answer: 'allow' });
    }
    assert.equal(pages.all.length, 0);
    assert.match(details[0]!, /"x⟨15,000 spaces⟩rm -rf"/);
    assert.match(details[1]!, /⟨U\+202E⟩txt/);
    assert.match(details[2]!, /one⟨200 × \\n⟩/);
    for (const line of details.flatMap(detail => detail.split('Arguments:')[1]!.split('\n')))
      assert.ok(line.length <= 72, line);

    for (const [index, args] of [
      { a: `${'harmless\n'.repeat(203)}payload` },
      { a: 'x'.repeat(15_000) },
      { a: ' \n'.repeat(100) },
      Object.fromEntries(Array.from({ length: 40 }, (_, key) => [key, key])),
    ].entries()) {
      ask(args);
      const page = await pages.opened(index + 1);
      assert.ok(page.isWhole);
    }
    await waitFor(() => pages.all.length === 4, { what: 'four pages' });
    assert.equal(details.length, 4);
  });

  it('allow nothing when the arguments are other ones by then @callQuestion.allow-arguments', async () => {
    const args = { text: `${'a'.repeat(5_000)} one` };
    const asked = ask(args);
    const page = await pages.opened();
    args.text = 'something else';
    page.press('Allow Once');
    await waitFor(() => asked.done, { what: 'the answer' });
    assert.equal(asked.answer, undefined);
  });

  it('show all arguments of destructive tools called from the palette @callQuestion.show-arguments', async () => {
    const target = { server, tool: { ...tool, annotations: { destructiveHint: true } } };
    const asked = confirmDestructive(target, { text: `${'a\n'.repeat(3_000)}the end` });
    const page = await pages.opened();
    while (!page.isWhole) page.say({ type: 'more' });
    assert.match(page.text, /the end"/);
    page.press('Run');
    assert.equal(await asked, true);
    const closed = confirmDestructive(target, { text: 'a\n'.repeat(3_000) });
    (await pages.opened(2)).close();
    assert.equal(await closed, false);
  });
});

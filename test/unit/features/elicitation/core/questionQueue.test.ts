import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { PerMinute } from '../../../../../src/base/rateAllowance';
import {
  QuestionQueue,
  RefusedQuestion,
  SharedNotifications,
  Visits,
} from '../../../../../src/features/elicitation/core/questionQueue';

const forever = () => new AbortController().signal;

describe('QuestionQueue', () => {
  it('asks one question of a server at a time, independently of other servers', async () => {
    const queue = new QuestionQueue();
    const asked: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const ask = (name: string) => () => {
      asked.push(name);
      return promise;
    };
    const all = [queue.ask('a', ask('a1'), forever()), queue.ask('a', ask('a2'), forever())];
    all.push(queue.ask('b', ask('b1'), forever()));
    await turn();
    assert.deepEqual(asked, ['a1', 'b1']);
    resolve();
    await Promise.all(all);
    assert.deepEqual(asked, ['a1', 'b1', 'a2']);
  });

  it('refuses a flood', async () => {
    const queue = new QuestionQueue({ waiting: 5, perMinute: 20 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const flood = Array.from({ length: 1_000 }, () => queue.ask('a', () => promise, forever()));
    resolve();
    const results = await Promise.allSettled(flood);
    const refused = results.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 995);
    assert.ok(refused.every(result => (result as PromiseRejectedResult).reason instanceof RefusedQuestion));
    assert.ok(refused.every(result => ((result as PromiseRejectedResult).reason as RefusedQuestion).isFlood));
  });

  it('refuses a flood with a word a minute for each server', () => {
    let now = 0;
    const floods = new PerMinute(() => now);
    const told = (server: string) =>
      Array.from({ length: 100 }, () => floods.wait(server, 1)).filter(ms => ms === 0).length;
    assert.deepEqual([told('a'), told('b'), told('a')], [1, 1, 0]);
    now += 60_000;
    assert.equal(told('a'), 1);
  });

  it('refuses too many in a minute, and accepts them again later @questions.refuses-too-many', async () => {
    let now = 0;
    const queue = new QuestionQueue({ waiting: 5, perMinute: 3 }, new PerMinute(() => now));
    const ask = () => queue.ask('a', async () => 'answer', forever());
    for (let i = 0; i < 3; i++) assert.equal(await ask(), 'answer');
    await assert.rejects(ask(), /more than 3 questions in a minute/);
    assert.equal(await queue.ask('b', async () => 'other', forever()), 'other');
    now += 60_000;
    assert.equal(await ask(), 'answer');
  });

  it('rejects a withdrawn question immediately; a withdrawn waiting one is never asked @questions.rejects-withdrawn', async () => {
    const queue = new QuestionQueue();
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = queue.ask('a', () => promise, abort.signal);
    const asked: string[] = [];
    const second = queue.ask('a', async () => void asked.push('second'), abort.signal);
    const both = Promise.allSettled([first, second]);
    abort.abort();
    for (const { status } of await both) assert.equal(status, 'rejected');
    resolve();
    assert.equal(await queue.ask('a', async () => 'next', forever()), 'next');
    assert.deepEqual(asked, []);
  });

  it('continues with the next when the open question is withdrawn without being closed @questions.continues-next-open', async () => {
    const queue = new QuestionQueue();
    const abort = new AbortController();
    const first = queue.ask('a', () => new Promise(() => {}), abort.signal);
    const second = queue.ask('a', async () => 'second', forever());
    await turn();
    abort.abort();
    await assert.rejects(first);
    assert.equal(await second, 'second');
  });

  it('does not count withdrawn questions, and lets none overtake the open one', async () => {
    const queue = new QuestionQueue({ waiting: 5, perMinute: 20 });
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = queue.ask('a', () => promise, forever());
    const abort = new AbortController();
    const withdrawn = Array.from({ length: 4 }, () => queue.ask('a', async () => 'withdrawn', abort.signal));
    abort.abort();
    await Promise.allSettled(withdrawn);
    const asked: string[] = [];
    const last = queue.ask('a', async () => void asked.push('last'), forever());
    await turn();
    assert.deepEqual(asked, []);
    resolve('first');
    assert.equal(await first, 'first');
    await last;
    assert.deepEqual(asked, ['last']);
  });
});

/** Notifications as the editor has them: one closes an earlier one with the same text. */
class Editor {
  readonly #open = new Map<string, (answer: string | undefined) => void>();

  show(text: string): Promise<string | undefined> {
    this.close(text);
    return new Promise(resolve => this.#open.set(text, resolve));
  }

  close(text: string, answer?: string): void {
    this.#open.get(text)?.(answer);
    this.#open.delete(text);
  }
}

describe('questions that share a notification text', () => {
  let editor: Editor;
  let shared: SharedNotifications;
  beforeEach(() => {
    editor = new Editor();
    shared = new SharedNotifications();
  });
  const ask = (text: string) => shared.ask(text, () => editor.show(text));

  it('get the answer to the latest notification; closing an earlier one is no answer', async () => {
    const asked = [ask('again?'), ask('again?'), ask('another?'), ask('again?')];
    editor.close('again?', 'Yes');
    editor.close('another?', 'No');
    assert.deepEqual(await Promise.all(asked), ['Yes', 'Yes', 'No', 'Yes']);
  });

  it('stay unanswered when the person closes the latest, and are asked anew afterwards', async () => {
    const closed = [ask('again?'), ask('again?')];
    editor.close('again?');
    assert.deepEqual(await Promise.all(closed), [undefined, undefined]);
    const later = ask('again?');
    editor.close('again?', 'Yes');
    assert.equal(await later, 'Yes');
  });
});

describe('visits of pages', () => {
  it('end with the completion of their own server and id, even an earlier one; others are ignored @questions.end-completion-server', async () => {
    const visits = new Visits();
    visits.completed('one', 'early');
    assert.equal(await visits.done('one', 'early', new AbortController().signal), true);
    const abort = new AbortController();
    const open = visits.done('one', 'page', abort.signal);
    const long = visits.done('one', 'x'.repeat(1_001), abort.signal);
    visits.completed('one', 'x'.repeat(1_001));
    visits.completed('one', 'unknown');
    visits.completed('two', 'page');
    visits.completed('one', 'early');
    abort.abort();
    assert.deepEqual([await open, await long], [false, false]);
    const other = visits.done('one', 'page', new AbortController().signal);
    visits.completed('one', 'page');
    assert.equal(await other, true);
  });
});

import assert from 'node:assert/strict';
import { HostError } from '../../../../../src/base/errors';
import {
  type Completion,
  type CompletionServer,
  completionSource,
  type FeedState,
  type Step,
  SuggestionFeed,
  stepRows,
} from '../../../../../src/features/prompts/core/suggestions';
import type { AllowedRequests } from '../../../../../src/host';
import { waitFor } from '../../../../servers/spawn';

/** A source whose answers the test gives. */
class Answers {
  readonly requests: {
    value: string;
    signal: AbortSignal;
    at: number;
    give: (values: string[]) => void;
    fail: () => void;
  }[] = [];
  readonly fetch = (value: string, signal: AbortSignal): Promise<Completion> =>
    new Promise((resolve, reject) => {
      const give = (values: string[]) => resolve({ values });
      this.requests.push({ value, signal, at: Date.now(), give, fail: () => reject(new Error('no luck')) });
    });
  last = () => this.requests.at(-1)!;
}

describe('the feed of suggestions', () => {
  const setUp = (debounceMs = 20, cached?: (value: string) => Completion | undefined) => {
    const source = new Answers();
    const states: FeedState[] = [];
    const feed = new SuggestionFeed({ ...source, ...(cached && { cached }) }, state => states.push(state), debounceMs);
    return { source, states, feed };
  };
  const asked = (source: Answers, count: number) =>
    waitFor(() => source.requests.length === count, { what: `${count} requests` });

  it('asks for the empty value at once', () => {
    const { source, feed, states } = setUp();
    feed.type('');
    assert.deepEqual(
      source.requests.map(({ value }) => value),
      [''],
    );
    assert.deepEqual(states, [{ typed: '', busy: true }]);
  });

  it('asks once for a burst of keys, when they rest @suggestions.asks-once-burst', async () => {
    const { source, feed } = setUp(30);
    feed.type('');
    const start = Date.now();
    for (const value of ['S', 'Sa', 'Sal']) feed.type(value);
    assert.equal(source.requests.length, 1);
    await asked(source, 2);
    assert.equal(source.last().value, 'Sal');
    assert.ok(source.last().at - start >= 25, `${source.last().at - start} ms`);
  });

  it('cancels the older request, and drops a late answer @suggestions.cancels-older-request', async () => {
    const { source, feed } = setUp();
    feed.type('');
    const [first] = source.requests;
    feed.type('S');
    assert.ok(first!.signal.aborted);
    first!.give(['old']);
    await asked(source, 2);
    source.last().give(['Sales']);
    await waitFor(() => !feed.state.busy, { what: 'the answer' });
    assert.deepEqual(feed.state, { typed: 'S', busy: false, completion: { values: ['Sales'] }, completed: 'S' });
  });

  it('passes an answer on immediately', async () => {
    const { source, feed, states } = setUp(5_000);
    feed.type('');
    source.last().give(['a']);
    await Promise.resolve();
    await Promise.resolve();
    assert.deepEqual(states.at(-1)?.completion?.values, ['a']);
  });

  it('keeps the earlier answer while waiting for the next', async () => {
    const { source, feed } = setUp(5_000);
    feed.type('');
    source.last().give(['Sales', 'Support']);
    await waitFor(() => !feed.state.busy, { what: 'the answer' });
    feed.type('Sa');
    assert.deepEqual(feed.state, {
      typed: 'Sa',
      busy: true,
      completion: { values: ['Sales', 'Support'] },
      completed: '',
    });
    feed.dispose();
  });

  it('shows a cached answer without request or delay', () => {
    const { source, feed } = setUp(20, value => (value === '' ? { values: ['known'] } : undefined));
    feed.type('');
    assert.equal(source.requests.length, 0);
    assert.deepEqual(feed.state.completion?.values, ['known']);
  });

  it('reports a failure and continues @suggestions.reports-failure-continues', async () => {
    const { source, feed } = setUp();
    feed.type('');
    source.last().fail();
    await waitFor(() => feed.state.error, { what: 'the failure' });
    feed.type('x');
    assert.equal(feed.state.error, undefined);
    await asked(source, 2);
    source.last().give(['xyz']);
    await waitFor(() => feed.state.completion, { what: 'the answer' });
  });

  it('neither asks nor reports after dispose', async () => {
    const { source, feed, states } = setUp();
    feed.type('');
    feed.dispose();
    assert.ok(source.last().signal.aborted);
    source.last().give(['late']);
    feed.type('more');
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(states.length, 1);
    assert.equal(source.requests.length, 1);
  });
});

const ref = { type: 'ref/prompt', name: 'p' } as const;
const { signal } = new AbortController();

function fakeServer(capabilities: object = { completions: {} }) {
  const calls: unknown[] = [];
  const server = { info: { capabilities } as CompletionServer['info'] };
  const requests = () => ({
    complete: async (params: Parameters<AllowedRequests['complete']>[0]) => {
      calls.push(params);
      return { values: [`${params.argument.value}!`] };
    },
  });
  return { server, requests, calls };
}

describe('completion requests to a server', () => {
  it('are not sent to a server without completion @suggestions.sent-server-completion', () => {
    assert.equal(completionSource(fakeServer({}).server, fakeServer().requests, ref), undefined);
  });

  it('contain the earlier arguments as context @suggestions.contain-earlier-arguments', async () => {
    const { server, requests, calls } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    await suggest('b', 'x', {}, signal);
    await suggest('b', 'x', { a: '1' }, signal);
    assert.deepEqual(calls, [
      { ref, argument: { name: 'b', value: 'x' } },
      { ref, argument: { name: 'b', value: 'x' }, context: { arguments: { a: '1' } } },
    ]);
  });

  it('are cached by reference, argument, value and context @suggestions.cached-reference-argument', async () => {
    const { server, requests, calls } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    assert.equal(suggest.cached!('a', '', {}), undefined);
    await suggest('a', '', {}, signal);
    assert.deepEqual(suggest.cached!('a', '', {}), { values: ['!'] });
    await completionSource(server, requests, ref)!('a', '', {}, signal);
    assert.equal(calls.length, 1);
    await completionSource(server, requests, { type: 'ref/prompt', name: 'q' })!('a', '', {}, signal);
    await suggest('a', '', { b: '' }, signal);
    assert.equal(calls.length, 3);
  });

  it('are cached only until the server restarts', async () => {
    const { server, requests, calls } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    await suggest('a', '', {}, signal);
    server.info = { capabilities: { completions: {} } } as CompletionServer['info'];
    assert.equal(suggest.cached!('a', '', {}), undefined);
    await suggest('a', '', {}, signal);
    assert.equal(calls.length, 2);
  });

  it('are cached up to a limit, with the least recently used dropped first', async () => {
    const { server, requests } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    for (let i = 0; i < 500; i++) await suggest('a', `${i}`, {}, signal);
    suggest.cached!('a', '0', {});
    await suggest('a', 'one more', {}, signal);
    assert.ok(suggest.cached!('a', '0', {}));
    assert.equal(suggest.cached!('a', '1', {}), undefined);
  });

  it('are not cached where the answer is longer than any list that the specification allows', async () => {
    const { server, requests } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    await suggest('a', 'x'.repeat(100_000), {}, signal);
    assert.equal(suggest.cached!('a', 'x'.repeat(100_000), {}), undefined);
  });

  it('are not cached when they fail', async () => {
    const { server } = fakeServer();
    const failing = () => ({ complete: () => Promise.reject(new Error('no')) });
    const suggest = completionSource(server, failing, ref)!;
    await assert.rejects(suggest('a', '', {}, signal));
    assert.equal(suggest.cached!('a', '', {}), undefined);
  });

  it('are sent once for an argument for which the server refuses them with any code, and give none', async () => {
    for (const code of [-32602, -32601, -32603, 404]) {
      const { server } = fakeServer();
      let calls = 0;
      const refusing = () => ({
        complete: async () => {
          calls++;
          const rpcError = { code, message: 'Unknown prompt' };
          throw new HostError({ code: 'PROTOCOL', server: 's', action: 'complete', reason: 'no', rpcError });
        },
      });
      const suggest = completionSource(server, refusing, ref)!;
      for (const typed of ['', 'x', 'xy']) assert.deepEqual(await suggest('a', typed, {}, signal), { values: [] });
      assert.equal(calls, 1);
      await suggest('b', '', {}, signal);
      assert.equal(calls, 2, 'another argument may have some');
      server.info = { ...server.info! };
      await suggest('a', '', {}, signal);
      assert.equal(calls, 3, 'a new session may too');
    }
  });
});

const rows = (step: Partial<Step> & { typed?: string; values?: string[] }) => {
  const { typed = '', values } = step;
  const answer = values && { completion: { values }, completed: typed };
  return stepRows({ state: { typed, busy: false, ...answer }, required: true, choices: [], ...step }).map(row =>
    row.kind === 'note'
      ? `note:${row.note}:${row.shown}${row.total ? `/${row.total}` : ''}`
      : `${row.kind}:${row.value}`,
  );
};

describe('the rows of a completion step', () => {
  it("contain the server's suggestions", () => {
    assert.deepEqual(rows({ values: ['a', 'b'] }), ['suggestion:a', 'suggestion:b']);
  });

  it('put those that begin with the text first, and the text itself last', () => {
    assert.deepEqual(rows({ typed: 'pl', values: ['plain', 'apple'] }), [
      'suggestion:plain',
      'suggestion:apple',
      'typed:pl',
    ]);
  });

  it('put a suggestion equal to the text first, once', () => {
    assert.deepEqual(rows({ typed: 'a', values: ['ab', 'a'] }), ['suggestion:a', 'suggestion:ab']);
  });

  it('put the text first when no suggestion contains it: Enter accepts nothing else', () => {
    assert.deepEqual(rows({ typed: 'Zoë', values: ['Alice', 'Bob'] }), [
      'typed:Zoë',
      'suggestion:Alice',
      'suggestion:Bob',
    ]);
    assert.deepEqual(rows({ typed: 'o', values: ['Alice', 'Bob'] }), ['suggestion:Bob', 'suggestion:Alice', 'typed:o']);
  });

  it('allow leaving out an optional argument, not a required one', () => {
    assert.deepEqual(rows({ required: false, values: ['a'] }), ['empty:', 'suggestion:a']);
  });

  it('put the previous value first', () => {
    assert.deepEqual(rows({ current: 'b', values: ['a', 'b'] }), ['current:b', 'suggestion:a']);
    assert.deepEqual(rows({ current: 'mine', required: false }), ['current:mine', 'empty:']);
  });

  it('put a previous value last when the server does not suggest it any more', () => {
    assert.deepEqual(rows({ current: 'Alice', values: ['David', 'Eve'] }), [
      'suggestion:David',
      'suggestion:Eve',
      'current:Alice',
    ]);
  });

  it('put ready choices below the suggestions, and filter them while typing', () => {
    const choices = [
      { label: 'Selection (3 lines)', value: 'x\ny\nz' },
      { label: 'Path of the open file', value: '/a' },
    ];
    assert.deepEqual(rows({ choices, values: ['a'] }), ['suggestion:a', 'choice:x\ny\nz', 'choice:/a']);
    assert.deepEqual(rows({ choices, typed: 'sel' }), ['choice:x\ny\nz', 'typed:sel']);
  });

  it('filter the suggestions of an earlier text until the next answer arrives', () => {
    const completion = { values: ['Sales', 'Support', 'Engineering'] };
    const state = { typed: 'su', busy: true, completion, completed: '' };
    assert.deepEqual(rows({ state }), ['suggestion:Support', 'typed:su']);
  });

  it('keep suggestions that do not contain the text, as the server chose them', () => {
    assert.deepEqual(rows({ typed: 'colour', values: ['color'] }), ['typed:colour', 'suggestion:color']);
  });

  it('show their number', () => {
    const values = ['a', 'b'];
    const state = (more: object) => ({ typed: '', busy: false, completed: '', completion: { values, ...more } });
    assert.equal(rows({ state: state({ total: 240, hasMore: true }) }).at(-1), 'note:more:2/240');
    assert.equal(rows({ state: state({ hasMore: true }) }).at(-1), 'note:more:2');
    assert.equal(rows({ state: state({ total: 2 }) }).at(-1), 'suggestion:b');
  });

  it('are limited to the hundred that the specification allows', () => {
    const many = rows({ values: Array.from({ length: 5_000 }, (_, i) => `${i}`) });
    assert.equal(many.length, 101);
    assert.equal(many.at(-1), 'note:more:100');
  });

  it('drop empty and repeated suggestions', () => {
    assert.deepEqual(rows({ values: ['', 'a', 'a'] }), ['suggestion:a']);
  });

  it('mention unobtrusively that there are none, or that the server failed @suggestions.mention-unobtrusively', () => {
    assert.deepEqual(rows({ values: [] }), ['note:none:0']);
    assert.deepEqual(rows({ state: { typed: 'x', busy: false, error: new Error('no') } }), [
      'typed:x',
      'note:failed:0',
    ]);
    assert.deepEqual(rows({}), []);
  });
});

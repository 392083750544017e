import assert from 'node:assert/strict';
import {
  type Completion,
  type FeedState,
  SuggestionFeed,
} from '../../../../../src/features/completion/core/suggestionFeed';
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

  it('asks once for a burst of keys, when they rest', async () => {
    const { source, feed } = setUp(30);
    feed.type('');
    const start = Date.now();
    for (const value of ['S', 'Sa', 'Sal']) feed.type(value);
    assert.equal(source.requests.length, 1);
    await asked(source, 2);
    assert.equal(source.last().value, 'Sal');
    assert.ok(source.last().at - start >= 25, `${source.last().at - start} ms`);
  });

  it('cancels the older request, and drops a late answer', async () => {
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

  it('reports a failure and continues', async () => {
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

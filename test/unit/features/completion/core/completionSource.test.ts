import assert from 'node:assert/strict';
import { type CompletionServer, completionSource } from '../../../../../src/features/completion/core/completionSource';
import type { AllowedRequests } from '../../../../../src/host';

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
  it('are not sent to a server without completion', () => {
    assert.equal(completionSource(fakeServer({}).server, fakeServer().requests, ref), undefined);
  });

  it('contain the earlier arguments as context', async () => {
    const { server, requests, calls } = fakeServer();
    const suggest = completionSource(server, requests, ref)!;
    await suggest('b', 'x', {}, signal);
    await suggest('b', 'x', { a: '1' }, signal);
    assert.deepEqual(calls, [
      { ref, argument: { name: 'b', value: 'x' } },
      { ref, argument: { name: 'b', value: 'x' }, context: { arguments: { a: '1' } } },
    ]);
  });

  it('are cached by reference, argument, value and context', async () => {
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

  it('are not cached when they fail', async () => {
    const { server } = fakeServer();
    const failing = () => ({ complete: () => Promise.reject(new Error('no')) });
    const suggest = completionSource(server, failing, ref)!;
    await assert.rejects(suggest('a', '', {}, signal));
    assert.equal(suggest.cached!('a', '', {}), undefined);
  });
});

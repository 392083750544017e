import assert from 'node:assert/strict';
import { HostError } from '../../../../src/base/errors';
import { type HttpServerFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { echo } from '../faultyHost';
import { hostile, TestHost } from '../testHost';

/** How a server can send its answer: spec 2025-03-26, basic#batching, allows a batch in each. */
const ways = {
  'on a line': [],
  'as the body of an answer': ['--http'],
  'as an event': ['--http', '--progress-burst=3'],
} as const;

describe('a batch of messages (protocol 2025-03-26)', () => {
  let test: TestHost;
  let http: HttpServerFixture | undefined;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(async () => {
    await test.close();
    await http?.stop();
    http = undefined;
  });

  const start = async (flags: readonly string[], requestMs = 60_000) => {
    const [first, ...others] = flags;
    http = first === '--http' ? await startHttpServer('hostile', [...flags, '--old-protocol=2025-03-26']) : undefined;
    const entry = http ? { url: http.url('/mcp') } : hostile(...others, ...(first ? [first] : []));
    test.configure({ one: { ...entry, timeouts: { toolCallMs: requestMs } } });
    return test.loads('one');
  };
  const batched = () => test.logs.filter(({ data }) => /^batched \d+$/.test(String(data))).length;

  for (const [way, flags] of Object.entries(ways)) {
    /** With something to report progress to, so that a stream is opened where it can be. */
    const call = async () => {
      const server = test.server('one');
      const { content } = await raw(server).callTool(echo, { text: 'hello' }, { onProgress: () => {} });
      assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
    };

    it(`received ${way} is read: all its messages, in order @batches.received-read-messages`, async () => {
      await start([...flags, '--batch=3']);
      await call();
      await waitFor(() => batched() === 3, { what: () => `3 log messages; there are ${batched()}` });
      await call();
      assert.equal(test.server('one').state.kind, 'ready');
    });

    it(`of 10,000 received ${way} is read up to 1,000, with a log line @batches.10-000-received`, async () => {
      await start([...flags, '--batch=10000']);
      await call();
      await waitFor(() => test.logged(/^left out: 9005 messages of a batch of 10005$/), { what: 'the note' });
      assert.equal(batched(), 995);
      await call();
      assert.equal(test.server('one').state.kind, 'ready');
    });
  }

  it('with its answer after the 1,000th message fails the call, immediately where detectable', async () => {
    await start(['--http', '--batch-last=1000']);
    await assert.rejects(raw(test.server('one')).callTool(echo, { text: 'x' }), (error: unknown) => {
      assert.ok(error instanceof HostError);
      assert.match(error.message, /messages that do not belong to the request/);
      return true;
    });
  });

  it('with its answer after the 1,000th message on a line lets the call time out', async () => {
    await start(['--batch-last=1000'], 500);
    await assert.rejects(raw(test.server('one')).callTool(echo, { text: 'x' }), { code: 'TIMEOUT' });
    await waitFor(() => test.logged(/^left out: 1 messages of a batch of 1001$/), { what: 'the note' });
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import { TraceRows } from '../../../../src/features/trace/core/traceRows';
import type { TraceRecord } from '../../../../src/host';
import { MAX_KEPT, type TraceLimits } from '../../../../src/host/trace/traceLog';
import {
  fixturePath,
  type HttpServerFixture,
  processIsAlive,
  startHttpFixture,
  startHttpServer,
  waitFor,
} from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { fixture, hostile, TestHost } from '../testHost';
import { HttpTap } from './httpTap';

const SECRET = 'sk-live-aB3dE5gH7jK9mN1pQ3';
/** Also how long a ping waits for its answer, which is in no trace when it comes later. */
const PING_MS = 2_000;

describe('the protocol trace', () => {
  let limits: TraceLimits;
  let pingMs: number;
  let test: TestHost;
  beforeEach(() => {
    limits = { messages: 1_000, size: 32 * 1024 * 1024 };
    pingMs = 0;
    test = new TestHost({}, { trace: () => limits, limits: () => ({ pingIntervalMs: pingMs }) });
  });
  afterEach(() => test.close());

  const call = (name: string, args: Record<string, unknown> = {}, options = {}) => {
    const tool: Tool = { name, inputSchema: { type: 'object' } };
    return raw(test.server('one')).callTool(tool, args, options);
  };
  const records = () => test.host.trace.records();
  const texts = (direction: TraceRecord['direction']) =>
    records().flatMap(record => (record.direction === direction ? [record.text] : []));
  const methods = (direction: TraceRecord['direction']) =>
    new Set(texts(direction).flatMap(text => /"method":"([^"]+)"/.exec(text)?.[1] ?? []));
  const has = (direction: TraceRecord['direction'], ...wanted: string[]) =>
    waitFor(() => wanted.every(method => methods(direction).has(method)), {
      what: () => `${wanted} ${direction}; there are ${[...methods(direction)]}`,
    });

  /** Of the server `one`, numbered without a gap, times in order, and each answer after what it answers. */
  const isInOrder = () => {
    const open = { sent: new Set<unknown>(), received: new Set<unknown>() };
    records().forEach(({ seq, at, server, direction, text, size }, index) => {
      assert.equal(seq, index + 1);
      assert.equal(server, 'one');
      assert.equal(size, text.length);
      assert.ok(Math.abs(at - Date.now()) < 60_000 && at >= (records()[index - 1]?.at ?? 0));
      let message: { id?: unknown; method?: string } | null;
      try {
        message = JSON.parse(text);
      } catch {
        return;
      }
      if (message?.id === undefined) return;
      if (message.method !== undefined) {
        open[direction].add(message.id);
        return;
      }
      const asked = open[direction === 'sent' ? 'received' : 'sent'];
      assert.ok(asked.has(message.id), `${text} comes before what it answers`);
    });
  };

  it('knows what a server has left unanswered when it ended', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    const waits = call('wait', { ms: 600_000 }).catch(() => {});
    await has('sent', 'tools/call');
    process.kill(test.pid('one'), 'SIGKILL');
    await waits;
    const statuses = () => {
      const rows = new TraceRows();
      rows.update(records(), undefined, test.host.trace.ends);
      return [...rows.all()].flatMap(({ method, kind, status }) =>
        method === 'tools/call' && kind === 'request' ? [status] : [],
      );
    };
    await waitFor(() => statuses().join() === 'ended', { what: () => `its end; the call is ${statuses()}` });
  });

  /** Uses the server in every way that puts something else on the wire. */
  const use = async () => {
    await test.loads('one');
    await call('echo', { text: 'hello' });
    await call('wait', { ms: 20, steps: 2 }, { progress: { update: () => {} } });
    await call('log', { level: 'error', text: 'a log message' });
    const abort = new AbortController();
    const cancelled = call('wait', { ms: 30_000 }, { signal: abort.signal });
    await has('sent', 'tools/call');
    abort.abort();
    await assert.rejects(cancelled);
  };

  describe('of a stdio server', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trace-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    for (const era of ['legacy', 'modern'] as const) {
      it(`records each line once, in order and verbatim: ${era} era`, async () => {
        pingMs = PING_MS;
        const notes = join(folder, 'notes');
        const flags = ['--garbage', '--roots', ...(era === 'modern' ? ['--modern'] : [])];
        test.configure({ one: fixture('tap', notes, fixturePath('hostile'), ...flags) });
        assert.equal((await test.reaches('one', 'ready')).info.era, era);
        await use();
        await has('sent', 'server/discover', 'tools/call', 'tools/list');
        if (era === 'legacy') {
          await has('sent', 'initialize', 'ping', 'logging/setLevel', 'notifications/cancelled');
          await has('received', 'roots/list', 'notifications/progress', 'notifications/message');
        }
        await test.server('one').stop('the test has seen enough');
        const noted = (await readFile(notes, 'utf8')).split('\n');
        const passed = (mark: string) => noted.flatMap(line => (line.startsWith(mark) ? [line.slice(2)] : []));
        assert.deepEqual(texts('sent'), passed('> '));
        assert.deepEqual(texts('received'), passed('< '));
        assert.ok(texts('received').includes('Hello from a chatty server!'), 'what is no message is there too');
        isInOrder();
      });
    }
  });

  describe('of an HTTP server', () => {
    let server: HttpServerFixture;
    let tap: HttpTap;
    afterEach(async () => {
      await test.close();
      tap.close();
      await server.stop();
    });

    /**
     * What passed in this direction, in any order: over HTTP only the order of what belongs together is certain. Left out is
     * what a server says on a stream that is being closed, which may come too late to be read.
     */
    const compared = (messages: readonly string[]) => {
      const closed = texts('sent').flatMap(text => /"requestId":"(listen:\d+)"/.exec(text)?.[1] ?? []);
      return messages.filter(text => !closed.some(id => text.includes(`"subscriptionId":"${id}"`))).sort();
    };
    const isComplete = async () => {
      for (const direction of ['sent', 'received'] as const) {
        const [traced, passed] = [() => compared(texts(direction)), () => compared(tap[direction])];
        await waitFor(() => traced().length === passed().length, {
          what: () => `${passed().length} messages ${direction}; the trace has ${traced().length}`,
        });
        assert.deepEqual(traced(), passed());
      }
      isInOrder();
    };

    const ways = { '/mcp': 'plain', '/mcp?answer=sse': 'streamed', '/modern': 'modern', '/sse': 'HTTP+SSE' };
    for (const [path, name] of Object.entries(ways)) {
      it(`records each message once: ${name}`, async () => {
        pingMs = PING_MS;
        server = await startHttpFixture();
        tap = await HttpTap.before(server.port);
        test.configure({ one: { url: tap.url(path), ...(path === '/sse' && { type: 'sse' }) } });
        if (path === '/modern') {
          await test.loads('one');
          for (const tool of test.server('one').catalog.tools) await call(tool.name, { text: 'x' }).catch(() => {});
        } else {
          await use();
          await has('sent', 'initialize', 'ping', 'notifications/cancelled');
          await has('received', 'notifications/progress', 'notifications/message');
        }
        await has('sent', 'tools/list', 'tools/call');
        await isComplete();
      });
    }

    it('records messages on the GET stream, and their answers', async () => {
      server = await startHttpServer('hostile', ['--http', '--roots', '--log-flood=3']);
      tap = await HttpTap.before(server.port);
      test.configure({ one: { url: tap.url('/mcp') } });
      await test.loads('one');
      await has('received', 'roots/list', 'notifications/message');
      await waitFor(() => texts('sent').some(text => text.includes('"roots":[{')), { what: 'the roots' });
      await isComplete();
    });

    it('records refusals that are messages, and no other response bodies', async () => {
      server = await startHttpServer('hostile', ['--http']);
      tap = await HttpTap.before(server.port);
      test.configure({ one: { url: tap.url('/mcp'), headers: { Authorization: `Bearer ${SECRET}` } } });
      await test.loads('one');
      await call('echo', { text: 'hello' });
      await isComplete();
      assert.ok(!JSON.stringify(records()).includes(SECRET));
    });
  });

  it('is empty while off, and follows its limits', async () => {
    limits = { messages: 0, size: 0 };
    const configured = { one: hostile() };
    test.configure(configured);
    await test.loads('one');
    await call('echo', { text: 'hello' });
    assert.deepEqual(records(), []);
    limits = { messages: 2, size: 1_000 };
    test.configure(configured);
    await call('echo', { text: 'on' });
    assert.deepEqual(
      records().map(({ direction, text }) => [direction, /"text":"(\w+)"/.exec(text)?.[1]]),
      [
        ['sent', 'on'],
        ['received', 'on'],
      ],
    );
    limits = { messages: 0, size: 0 };
    test.configure(configured);
    assert.deepEqual(records(), []);
  });

  it('keeps the start of huge messages', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    test.host.trace.clear();
    await call('echo', { text: 'x'.repeat(3 * MAX_KEPT) });
    const huge = records().filter(({ size }) => size > 3 * MAX_KEPT);
    assert.deepEqual(
      huge.map(({ direction, text }) => [direction, text.length]),
      [
        ['sent', MAX_KEPT],
        ['received', MAX_KEPT],
      ],
    );
  });

  it('is redacted, even for servers no longer configured @recording.redacted-servers-longer', async () => {
    const { env, ...entry } = hostile();
    test.configure({ one: { ...entry, env: { ...env, SERVICE_TOKEN: SECRET } } });
    await test.loads('one');
    await call('echo', { text: `it is ${SECRET}` });
    const readable = () => records().map(record => test.host.trace.readable(record));
    const said = () => readable().filter(text => text.includes('it is •••'));
    assert.equal(texts('sent').filter(text => text.includes(SECRET)).length, 1, 'the server was told');
    assert.equal(said().length, 2);
    assert.ok(!readable().join('').includes(SECRET));
    const pid = test.pid('one');
    test.configure({});
    await waitFor(() => !processIsAlive(pid), { timeoutMs: 30_000, what: 'the end of its process' });
    assert.equal(said().length, 2);
    assert.ok(!readable().join('').includes(SECRET));
  });
});

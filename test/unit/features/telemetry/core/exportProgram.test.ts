import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ExportOptions,
  type ExportTimes,
  type Receiver,
  Reporting,
} from '../../../../../src/features/telemetry/core/exportProgram';
import type { WatchSession } from '../../../../../src/host/definition';
import { OtlpReceiver } from '../../../../servers/otlpReceiver';
import { type HttpFixture, processIsAlive, startHttpFixture, untilHolds, waitFor } from '../../../../servers/spawn';
import { inRepository, temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { hostile, TestHost } from '../../../host/testHost';

const program = inRepository('dist/telemetry.js');
const CLIENT = 3;
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const QUICK: Partial<ExportTimes> = { gatherMs: 10, metricsEveryMs: 60_000, restartMs: 10 };
const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7' };

describe('reports of requests', () => {
  let receiver: OtlpReceiver;
  let test: TestHost;
  let reporting: Reporting | undefined;
  let log: string[];

  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
    log = [];
    const watch: WatchSession = session => reporting?.watch(session);
    test = new TestHost({ watch });
    test.host.trace.limit({ messages: 10_000, size: 10_000_000 });
  });
  afterEach(async () => {
    await test.close();
    const pid = reporting?.pid;
    await reporting?.close();
    reporting = undefined;
    await receiver.close();
    assert.ok(pid === undefined || !processIsAlive(pid), 'the program is still there');
    assert.deepEqual(receiver.faults, []);
  });

  /** Reports from now on. */
  function report(
    options: Partial<ExportOptions & { content: boolean; headers: Receiver['headers'] }> = {},
  ): Reporting {
    const { headers = {}, times, ...others } = options;
    reporting = new Reporting({
      program,
      version: '1.2.3',
      content: false,
      receiver: Promise.resolve({ endpoint: receiver.endpoint, headers }),
      log: (level, text) => void log.push(`${level}: ${text}`),
      ...others,
      times: { ...QUICK, ...times },
    });
    return reporting;
  }
  const call = (id: string, name = 'echo', args: object = { text: 'private' }, options = {}) =>
    raw(test.server(id)).callTool({ name, inputSchema: { type: 'object' } }, args as Record<string, unknown>, options);
  const arrived = (name: string) =>
    waitFor(() => receiver.named(name)[0], { what: () => `${name}; ${log.join('\n')}` });
  /** The calls that servers were sent, as they were sent. */
  const sentCalls = () =>
    test.host.trace
      .records()
      .filter(({ direction, text }) => direction === 'sent' && text.includes('"tools/call"'))
      .map(({ text }) => JSON.parse(text).params as { _meta?: Record<string, unknown> });

  it('have a span for each request of a program, by the conventions, with nothing of its content @reporting.span-request-program', async () => {
    report({ headers: { authorization: 'Bearer token' } });
    test.configure({ one: hostile() });
    await test.loads('one');
    await call('one');
    await raw(test.server('one')).getPrompt('greet', { name: 'private' });
    await raw(test.server('one')).readResource('hostile://notes/readme.md');
    const span = await arrived('tools/call echo');
    await arrived('resources/read');
    const [prompt] = receiver.named('prompts/get greet');
    assert.equal(span.kind, CLIENT);
    assert.ok(span.end >= span.start && span.parentSpanId === undefined && !span.isError);
    const { 'jsonrpc.request.id': id, ...attributes } = span.attributes;
    assert.match(String(id), /^\d+$/);
    assert.deepEqual(attributes, {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'pipe',
      'service.peer.name': 'one',
    });
    assert.equal(prompt?.attributes['gen_ai.prompt.name'], 'greet');
    for (const name of ['initialize', 'tools/list', 'prompts/list', 'resources/list'])
      assert.equal(receiver.named(name).length, 1, name);
    assert.equal(receiver.resource['service.name'], 'mcp-host');
    assert.equal(receiver.resource['service.version'], '1.2.3');
    assert.equal(receiver.requests[0]?.headers.authorization, 'Bearer token');
    assert.doesNotMatch(receiver.bodies.join('\n'), /private|notes\/readme/);
    const [sent] = sentCalls();
    assert.equal(sent?._meta?.traceparent, `00-${span.traceId}-${span.spanId}-01`);
  });

  it('have spans below those of agents', async () => {
    report();
    test.configure({ one: hostile() });
    await test.loads('one');
    const traceparent = (flags: string) => `00-${parent.traceId}-${parent.spanId}-${flags}`;
    await call('one', 'wait', { ms: 0 }, { meta: { traceparent: traceparent('00') } });
    await call('one', 'echo', { text: 'x' }, { meta: { traceparent: traceparent('01'), tracestate: 'a=b' } });
    const span = await arrived('tools/call echo');
    assert.deepEqual([span.traceId, span.parentSpanId], [parent.traceId, parent.spanId]);
    const [unrecorded, recorded] = sentCalls();
    assert.equal(unrecorded?._meta?.traceparent, traceparent('00'));
    assert.equal(recorded?._meta?.traceparent, `00-${span.traceId}-${span.spanId}-01`);
    assert.equal(recorded?._meta?.tracestate, 'a=b');
    assert.deepEqual(receiver.named('tools/call wait'), []);
  });

  it('say how requests failed', async () => {
    report();
    test.configure({ one: hostile() });
    await test.loads('one');
    await assert.rejects(call('one', 'echo', {}));
    const abort = new AbortController();
    const cancelled = call('one', 'wait', { ms: 600_000 }, { signal: abort.signal, onProgress: () => abort.abort() });
    await assert.rejects(cancelled);
    await test.withLimits('one', { toolCallMs: 50 }, () =>
      assert.rejects(call('one', 'wait', { ms: 600_000, steps: 1 })),
    );
    await arrived('tools/call echo');
    await waitFor(() => receiver.named('tools/call wait').length === 2, { what: 'both that were given up' });
    const failures = receiver.spans.filter(({ isError, name }) => isError && name.startsWith('tools/call'));
    assert.deepEqual(
      failures.map(({ attributes }) => [attributes['error.type'], attributes['rpc.response.status_code']]),
      [
        ['-32602', '-32602'],
        ['cancelled', undefined],
        ['timeout', undefined],
      ],
    );
    // The words of a server may hold anything.
    assert.ok(failures.every(({ description }) => !description));
  });

  it('have metrics of requests and sessions, which many spans share', async () => {
    report();
    test.configure({ one: hostile() });
    await test.loads('one');
    await call('one');
    await call('one');
    await assert.rejects(call('one', 'echo', {}));
    await test.server('one').stop('a test');
    await reporting!.close();
    const operations = receiver.metrics.get('mcp.client.operation.duration') ?? assert.fail('no metric');
    const echoes = operations.filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'echo');
    assert.deepEqual(
      echoes.map(({ count, unit, bounds, attributes }) => [count, unit, bounds, attributes['error.type']]),
      [
        [2, 's', BOUNDS, undefined],
        [1, 's', BOUNDS, '-32602'],
      ],
    );
    const [session] = receiver.metrics.get('mcp.client.session.duration') ?? [];
    assert.deepEqual([session?.count, session?.attributes['mcp.protocol.version']], [1, '2025-11-25']);
    assert.ok(session!.sum > 0);
  });

  it('are the same in the modern era, and for remote servers', async () => {
    let http: HttpFixture | undefined;
    try {
      http = await startHttpFixture();
      report();
      test.configure({
        legacy: { url: http.url('/mcp?key=private') },
        modern: { url: http.url('/modern') },
      });
      await test.loads('legacy');
      await test.loads('modern');
      await call('legacy');
      await test.server('legacy').stop('a test');
      const span = await arrived('tools/call echo');
      assert.equal(span.attributes['network.transport'], 'tcp');
      assert.equal(span.attributes['server.address'], '127.0.0.1');
      assert.equal(span.attributes['server.port'], http.port);
      assert.ok(span.attributes['mcp.session.id']);
      const [, modern] = await waitFor(
        () => {
          const lists = receiver.named('tools/list');
          return lists.length === 2 && lists;
        },
        { what: 'the lists of both' },
      );
      const versions = receiver.named('tools/list').map(({ attributes }) => attributes['mcp.protocol.version']);
      assert.deepEqual(versions.sort(), ['2025-11-25', '2026-07-28']);
      assert.ok(modern);
      await reporting!.close();
      const points = [...receiver.metrics.values()].flat();
      assert.ok(points.length > 2 && points.every(({ attributes }) => !('mcp.session.id' in attributes)));
      assert.doesNotMatch(receiver.bodies.join('\n'), /private/);
    } finally {
      await http?.stop();
    }
  });

  it('have arguments, results and URIs if that is wanted', async () => {
    report({ content: true });
    test.configure({ one: { ...hostile(), env: { ...hostile().env, API_TOKEN: 'sk-aB3dE5gH7jK9mN1pQ3sT5v' } } });
    await test.loads('one');
    await call('one', 'echo', { text: 'with sk-aB3dE5gH7jK9mN1pQ3sT5v in it' });
    await raw(test.server('one')).readResource('hostile://notes/readme.md');
    const { attributes } = await arrived('tools/call echo');
    const read = await arrived('resources/read');
    assert.match(String(attributes['gen_ai.tool.call.arguments']), /^\{"text":"with .* in it"\}$/);
    assert.match(String(attributes['gen_ai.tool.call.result']), /"text":"with .* in it"/);
    assert.equal(read.attributes['mcp.resource.uri'], 'hostile://notes/readme.md');
    assert.doesNotMatch(receiver.bodies.join('\n'), /sk-aB3/);
  });

  it('begin and end while servers run', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    await call('one', 'wait', { ms: 0 });
    assert.equal(sentCalls()[0]?._meta?.traceparent, undefined);
    const first = report();
    await call('one');
    await arrived('tools/call echo');
    assert.deepEqual(receiver.named('tools/call wait'), []);
    reporting = undefined;
    await call('one', 'log', { text: 'x' });
    await first.close();
    assert.deepEqual(receiver.named('tools/call log'), []);
    assert.equal(first.pid, undefined);
  });

  it('wait while a receiver is busy, and lose nothing', async () => {
    for (const status of [503, 429]) {
      let refused = 0;
      receiver.answer = (_, response) => {
        if (++refused === 1) receiver.take();
        response.writeHead(status, { 'retry-after': '0' }).end();
      };
      const reports = report();
      test.configure({ [`busy${status}`]: hostile() });
      await test.loads(`busy${status}`);
      await waitFor(() => receiver.named('tools/list').length > 0, { what: () => `a list after ${status}; ${log}` });
      assert.equal(refused, 1);
      await reports.close();
      receiver.spans.length = 0;
    }
    assert.deepEqual(log, []);
  });

  it('slow nothing while a receiver hangs: what does not fit is dropped, counted and said once', async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => void held.push(() => response.writeHead(200).end('{}'));
    // What is left at the end is all sent, however busy the machine is.
    report({ times: { timeoutMs: 600_000, finishMs: 60_000 } });
    test.configure({ one: hostile() });
    await test.loads('one');
    await waitFor(() => held.length > 0, { what: 'a request that hangs' });
    // More than fit into both queues.
    const calls = 6_000;
    for (let i = 0; i < calls; i += 100) await Promise.all(Array.from({ length: 100 }, () => call('one')));
    await waitFor(() => reporting!.isIdle, { what: 'the program to have read all' });
    receiver.take();
    for (const release of held) release();
    await untilHolds(() => assert.match(log.at(-1) ?? '', /takes spans again\. \d+ requests were not reported/));
    const [, lost] = /again\. (\d+) requests/.exec(log.at(-1) ?? '') ?? [];
    await reporting!.close();
    const operations = receiver.metrics.get('mcp.client.operation.duration') ?? [];
    const [echoes] = operations.filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'echo');
    // The one that hung was taken in the end, but not kept.
    const kept = receiver.named('tools/call echo').length;
    assert.ok(echoes && kept < calls && kept + Number(lost) >= calls - 512, `${kept} kept, ${lost} lost`);
    assert.ok(log.length <= 3, log.join('\n'));
  });

  it('are said to be lost when the receiver is gone, and go on when it is back', async () => {
    await receiver.close();
    report({ times: { timeoutMs: 100 } });
    test.configure({ one: hostile() });
    await test.loads('one');
    await untilHolds(() => assert.match(log[0] ?? '', /^warning: The receiver takes no spans: .*ECONNREFUSED/));
    await call('one');
    await receiver.open();
    await untilHolds(async () => {
      await call('one');
      assert.match(log.at(-1) ?? '', /takes spans again\. \d+ requests were not reported/);
    });
    assert.equal(log.length, 2, log.join('\n'));
    await arrived('tools/call echo');
  });

  it('never repeat what was sent with them when the receiver refuses it', async () => {
    receiver.answer = ({ headers }, response) =>
      void response.writeHead(401, { 'content-type': 'text/plain' }).end(`not ${headers.authorization}`);
    report({ headers: { authorization: 'Bearer private' } });
    test.configure({ one: hostile() });
    await test.loads('one');
    await untilHolds(() => assert.match(log[0] ?? '', /takes no spans: .*401/));
    assert.doesNotMatch(log.join('\n'), /private/);
  });

  it('go on with another process when theirs ends', async () => {
    report();
    test.configure({ one: hostile() });
    await test.loads('one');
    await arrived('tools/list');
    const pid = reporting?.pid ?? assert.fail('there is no process');
    process.kill(pid, 'SIGKILL');
    await untilHolds(async () => {
      await call('one');
      assert.ok(receiver.named('tools/call echo').length > 0);
    });
    assert.notEqual(reporting?.pid, pid);
    assert.match(log[0] ?? '', /^warning: The telemetry program ended unexpectedly \(.*SIGKILL/);
  });

  it('are not sent before the headers are known, and never if they are not', async () => {
    const { promise, resolve } = Promise.withResolvers<Receiver>();
    const waiting = report({ receiver: promise });
    test.configure({ one: hostile() });
    await test.loads('one');
    assert.equal(waiting.pid, undefined);
    resolve({ endpoint: receiver.endpoint, headers: {} });
    await arrived('initialize');
    await waiting.close();
    report({ receiver: Promise.reject(new Error('it needs the input "token"')) });
    await call('one');
    await reporting!.close();
    assert.equal(log[0], 'warning: Nothing is reported: it needs the input "token"');
    assert.deepEqual(receiver.named('tools/call echo'), []);
  });

  it('that are left when the window closes are sent, as far as that is quick', async () => {
    const slow = report({ times: { gatherMs: 600_000 } });
    test.configure({ one: hostile() });
    await test.loads('one');
    assert.equal(slow.pid, undefined);
    await slow.close();
    assert.equal(receiver.named('initialize').length, 1);
    receiver.answer = () => {};
    const hanging = report({ times: { finishMs: 200 } });
    await call('one');
    await waitFor(() => hanging.pid, { what: 'the process' });
    const pid = hanging.pid!;
    await hanging.close();
    assert.ok(!processIsAlive(pid));
  });
});

describe('the telemetry program', () => {
  it('ends with its window', async () => {
    const child = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.disconnect();
    assert.equal(await ended, 0);
  });

  it('is ended when it does not answer, and the next one goes on', async () => {
    const folder = temporaryFolder();
    const hanging = join(folder, 'hanging.js');
    writeFileSync(hanging, 'setInterval(() => {}, 1_000);');
    const log: string[] = [];
    const reporting = new Reporting({
      program: hanging,
      version: '1.2.3',
      content: false,
      receiver: Promise.resolve({ endpoint: 'http://127.0.0.1:9', headers: {} }),
      log: (_, text) => void log.push(text),
      times: { ...QUICK, answerMs: 50, finishMs: 50 },
    });
    const test = new TestHost({ watch: session => reporting.watch(session) });
    try {
      test.configure({ one: hostile() });
      await test.loads('one');
      await untilHolds(() => assert.match(log[0] ?? '', /ended unexpectedly \(.*SIGKILL/));
      await raw(test.server('one')).callTool({ name: 'echo', inputSchema: { type: 'object' } }, { text: 'x' });
      await waitFor(() => reporting.pid, { what: 'the next process' });
    } finally {
      await test.close();
      await reporting.close();
    }
    assert.equal(reporting.pid, undefined);
    assert.match(log.at(-1) ?? '', /^\d+ requests were not reported\.$/);
  });
});

import assert from 'node:assert/strict';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { fingerprint } from '../../../../../src/base/fingerprint';
import type { EndedOperation, Operation } from '../../../../../src/features/telemetry/core/operation';
import { SessionSpans } from '../../../../../src/features/telemetry/core/sessionSpans';
import { resolveDefinitions } from '../../../../../src/host';
import type { WatchedSession } from '../../../../../src/host/definition';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7' };

interface Known {
  protocolVersion: string | undefined;
  id: string | undefined;
}

/** Spans of one session with a server of this entry, and what they have become. */
function spansOf(entry: object = { command: 'node' }, { content = false } = {}) {
  const { definitions } = resolveDefinitions([
    {
      source: { scope: 'user' },
      value: { one: entry },
      variables: { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined },
    },
  ]);
  const known: Known = { protocolVersion: '2025-11-25', id: undefined };
  const session: WatchedSession = {
    server: definitions[0]!,
    began: performance.now(),
    get protocolVersion() {
      return known.protocolVersion;
    },
    get id() {
      return known.id;
    },
    redact: text => text.replaceAll('s3cret', '*****'),
  };
  const ended: EndedOperation[] = [];
  let lost = 0;
  const spans = new SessionSpans(session, { content, ended: one => ended.push(one), lost: () => lost++ });
  const send = (id: number | string, method: string, params?: Record<string, unknown>) =>
    spans.sending({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  const answer = (id: number | string, result: Record<string, unknown> = {}) =>
    spans.answered({ jsonrpc: '2.0', id, result });
  const refuse = (id: number | string, error: object) =>
    spans.answered({ jsonrpc: '2.0', id, error: error as { code: number; message: string } });
  return { spans, known, ended, send, answer, refuse, lost: () => lost };
}

const operationIn = (one: EndedOperation | undefined): Operation =>
  one && 'operation' in one ? one.operation : assert.fail(JSON.stringify(one));
const metaOf = ({ params }: { params?: { _meta?: unknown } }) => params?._meta as Record<string, unknown> | undefined;

describe('the span of a request', () => {
  it('has the method, the tool or prompt, the id and the time, and its context goes to the server', () => {
    const { ended, send, answer } = spansOf();
    const call = send(7, 'tools/call', { name: 'echo', arguments: { text: 'private' }, _meta: { progressToken: 7 } });
    const [, traceId, spanId] =
      TRACEPARENT.exec(String(metaOf(call)?.traceparent)) ?? assert.fail(JSON.stringify(call));
    assert.equal(metaOf(call)?.progressToken, 7);
    assert.deepEqual(call.params?.arguments, { text: 'private' });
    answer(7, { content: [{ type: 'text', text: 'also private' }] });
    send('a', 'prompts/get', { name: 'greet-s3cret', arguments: { name: 'private' } });
    answer('a');
    send(8, 'ping');
    answer(8);
    const [called, prompted, pinged] = ended.map(operationIn);
    assert.deepEqual(called?.place, { traceId, spanId });
    assert.deepEqual(
      [called?.method, called?.tool, called?.id, called?.errorType],
      ['tools/call', 'echo', '7', undefined],
    );
    assert.ok(called!.seconds >= 0 && called!.startedAt > 1_000_000_000_000);
    assert.deepEqual([prompted?.prompt, prompted?.tool, prompted?.id], ['greet-*****', undefined, 'a']);
    assert.deepEqual([pinged?.method, pinged?.tool, pinged?.prompt], ['ping', undefined, undefined]);
    assert.notEqual(called?.place?.traceId, prompted?.place?.traceId);
    assert.doesNotMatch(JSON.stringify(ended), /private/);
  });

  it('is a child of the span that an agent gave, whose state and baggage go on', () => {
    const { ended, send, answer } = spansOf();
    const _meta = { traceparent: `00-${parent.traceId}-${parent.spanId}-01`, tracestate: 'a=b', baggage: 'c=d' };
    const meta = metaOf(send(1, 'tools/call', { name: 'echo', _meta }));
    const [, traceId, spanId] = TRACEPARENT.exec(String(meta?.traceparent)) ?? [];
    assert.equal(traceId, parent.traceId);
    assert.notEqual(spanId, parent.spanId);
    assert.deepEqual([meta?.tracestate, meta?.baggage], ['a=b', 'c=d']);
    answer(1);
    assert.deepEqual(operationIn(ended[0]).place, { traceId, spanId, parentId: parent.spanId });
  });

  it('does not exist below one that is not recorded, whose context goes on as it came', () => {
    const { ended, send, answer } = spansOf();
    const _meta = { traceparent: `00-${parent.traceId}-${parent.spanId}-00` };
    assert.deepEqual(metaOf(send(1, 'tools/call', { name: 'echo', _meta })), _meta);
    answer(1);
    assert.equal(operationIn(ended[0]).place, undefined);
  });

  for (const traceparent of ['', 7, null, {}, `00-${'0'.repeat(32)}-${parent.spanId}-01`, `ff-${parent.traceId}`]) {
    it(`begins a trace where the context is ${JSON.stringify(traceparent)}`, () => {
      const { send } = spansOf();
      assert.match(String(metaOf(send(1, 'ping', { _meta: { traceparent } }))?.traceparent), TRACEPARENT);
    });
  }

  it('says how the request failed, without the words of the server @sessionSpans.request-failed-words', () => {
    const { spans, ended, send, answer, refuse } = spansOf();
    const failures: [expected: string, code: string | undefined, fail: (id: number) => void][] = [
      ['tool_error', undefined, id => answer(id, { isError: true, content: [] })],
      ['-32602', '-32602', id => refuse(id, { code: -32_602, message: 'private' })],
      ['_OTHER', undefined, id => refuse(id, { code: 'private', message: 'private' })],
      ['_OTHER', undefined, id => refuse(id, { code: 1.5, message: 'private' })],
      ['timeout', undefined, id => spans.failed(id, new SdkError(SdkErrorCode.RequestTimeout, 'private'))],
      ['timeout', undefined, id => spans.failed(id, new DOMException('private', 'TimeoutError'))],
      ['cancelled', undefined, id => spans.failed(id, undefined)],
      ['cancelled', undefined, id => spans.failed(id, 'private')],
      ['cancelled', undefined, id => spans.failed(id, new DOMException('private', 'AbortError'))],
      ['503', undefined, id => spans.failed(id, Object.assign(new Error('private'), { status: 503 }))],
      ['ECONNREFUSED', undefined, id => spans.failed(id, new TypeError('private', { cause: refused() }))],
      ['_OTHER', undefined, id => spans.failed(id, Object.assign(new Error('x'), { code: 'private text' }))],
      ['connection_closed', undefined, () => spans.closed()],
    ];
    for (const [index, [expected, code, fail]] of failures.entries()) {
      send(index, 'tools/call', { name: 'echo' });
      fail(index);
      const { errorType, statusCode } = operationIn(ended[index]);
      assert.deepEqual([errorType, statusCode], [expected, code], String(index));
    }
    assert.doesNotMatch(JSON.stringify(ended), /private/);
  });

  it('is no failure where the server does not know what was asked to find out what it can do', () => {
    const { known, ended, send, refuse } = spansOf();
    const asked: [method: string, code: number, isProbe: boolean, errorType: string | undefined][] = [
      ['server/discover', -32_601, true, undefined],
      ['server/discover', -32_603, true, undefined],
      ['server/discover', -32_022, true, '-32022'],
      ['server/discover', -32_603, false, '-32603'],
      ['resources/list', -32_601, false, undefined],
      ['resources/list', -32_603, false, '-32603'],
      ['tools/call', -32_601, false, '-32601'],
    ];
    for (const [index, [method, code, isProbe, expected]] of asked.entries()) {
      known.protocolVersion = isProbe ? undefined : '2025-11-25';
      send(index, method);
      refuse(index, { code, message: 'no' });
      const { errorType, statusCode } = operationIn(ended[index]);
      assert.deepEqual([errorType, statusCode], [expected, String(code)], `${method} ${code}`);
    }
  });

  it('counts isError only for tools', () => {
    const { ended, send, answer } = spansOf();
    send(1, 'prompts/get', { name: 'greet' });
    answer(1, { isError: true });
    assert.equal(operationIn(ended[0]).errorType, undefined);
  });

  it('ends once, also with an id that came back as text, and for none that is not known', () => {
    const { spans, ended, send, answer } = spansOf();
    send(5, 'ping');
    answer('5');
    answer(5);
    spans.failed(5, 'late');
    answer('five');
    for (const id of [null, undefined, {}, 'Infinity', '']) answer(id as never);
    assert.equal(ended.length, 1);
    send(0, 'ping');
    answer(null as never);
    assert.equal(ended.length, 1);
  });

  it('survives whatever is sent and answered', () => {
    const { spans, ended, send, refuse } = spansOf({ command: 'node' }, { content: true });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const odd: unknown[] = [
      { arguments: circle },
      { name: 7, arguments: 1n },
      { name: {}, uri: 8 },
      { arguments: null },
    ];
    for (const [id, params] of odd.entries()) {
      send(id, 'tools/call', params as Record<string, unknown>);
      if (id % 2) refuse(id, null as never);
      else spans.answered({ jsonrpc: '2.0', id, result: null as never });
    }
    assert.equal(ended.length, odd.length);
  });

  it('is left out and counted where too many requests wait for answers', () => {
    const { ended, send, answer, lost } = spansOf();
    for (let id = 0; id < 10_001; id++) send(id, 'ping');
    assert.equal(lost(), 1);
    assert.equal(metaOf(send(10_002, 'ping')), undefined);
    for (let id = 0; id < 10_003; id++) answer(id);
    assert.equal(ended.length, 10_000);
  });
});

describe('what is known of a session', () => {
  it('is the name in settings and the pipe of a program, and the version as soon as it is agreed', () => {
    const { known, ended, send, answer } = spansOf();
    known.protocolVersion = undefined;
    send(0, 'server/discover');
    answer(0);
    send(1, 'initialize', {});
    answer(1, { protocolVersion: '2025-06-18' });
    known.protocolVersion = '2025-06-18';
    for (const id of [2, 3]) {
      send(id, 'ping');
      answer(id);
    }
    const facts = ended.map(one => one.facts);
    assert.deepEqual(facts[0], { 'service.peer.name': 'one', 'network.transport': 'pipe' });
    assert.deepEqual(facts[1], { ...facts[0], 'mcp.protocol.version': '2025-06-18' });
    // Many requests share one object.
    assert.equal(facts[3], facts[2]);
  });

  it('is the address of a remote server without what may be secret in it, and a fingerprint of its id of the session @sessionSpans.address-remote-server', () => {
    const { known, ended, send, answer } = spansOf({ url: 'https://mcp.example.com/s3cret?token=s3cret' });
    known.id = 'session-1';
    send(1, 'ping');
    answer(1);
    assert.deepEqual(ended[0]?.facts, {
      'service.peer.name': 'one',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': 'mcp.example.com',
      'server.port': 443,
      'mcp.protocol.version': '2025-11-25',
      'mcp.session.id': fingerprint('session-1').slice(0, 16),
    });
  });

  it('has the port of an address, and nothing of a socket', () => {
    const portOf = (url: string) => {
      const { ended, send, answer } = spansOf({ url });
      send(1, 'ping');
      answer(1);
      return ended[0]?.facts;
    };
    assert.equal(portOf('http://localhost:8123/mcp')?.['server.port'], 8_123);
    assert.equal(portOf('http://localhost/mcp')?.['server.port'], 80);
    const socket = portOf('unix:///tmp/server.sock#/mcp');
    assert.deepEqual([socket?.['network.transport'], socket?.['server.address']], ['unix', undefined]);
  });

  it('tells the time of a session at its end, once, and of no attempt to connect', () => {
    const { spans, ended, known } = spansOf();
    known.protocolVersion = undefined;
    spans.closed();
    assert.deepEqual(ended, []);
    const second = spansOf();
    second.send(1, 'ping');
    second.answer(1);
    second.known.protocolVersion = undefined;
    second.spans.closed();
    second.spans.closed();
    assert.equal(second.ended.length, 2);
    const [, session] = second.ended;
    assert.ok(session && 'sessionSeconds' in session && session.sessionSeconds >= 0);
    assert.equal(session.facts['mcp.protocol.version'], '2025-11-25');
  });
});

describe('the content of a request', () => {
  it('goes along only if that is wanted, without secrets @sessionSpans.goes-along-wanted', () => {
    const { ended, send, answer } = spansOf(undefined, { content: true });
    send(1, 'tools/call', { name: 'echo', arguments: { text: 's3cret' } });
    answer(1, { content: [{ type: 'text', text: 'a s3cret result' }] });
    send(2, 'resources/read', { uri: 'file:///s3cret/notes.md' });
    answer(2, { contents: [{ uri: 'x', text: 'of the resource' }] });
    const [call, read] = ended.map(operationIn);
    assert.deepEqual(call?.content, {
      'gen_ai.tool.call.arguments': '{"text":"*****"}',
      'gen_ai.tool.call.result': '{"content":[{"type":"text","text":"a ***** result"}]}',
    });
    assert.deepEqual(read?.content, { 'mcp.resource.uri': 'file:///*****/notes.md' });
  });

  it('is cut, and left out where a secret could not be found', () => {
    const { ended, send, answer } = spansOf(undefined, { content: true });
    send(1, 'tools/call', { name: 'echo', arguments: { text: 'x'.repeat(50_000) } });
    answer(1, { content: [{ type: 'text', text: 's3cret'.repeat(50_000) }] });
    const { content } = operationIn(ended[0]);
    assert.equal(content?.['gen_ai.tool.call.arguments']?.length, 8_001);
    assert.match(content?.['gen_ai.tool.call.result'] ?? '', /^\(\d+ characters\)$/);
  });
});

const refused = () => Object.assign(new Error('private'), { code: 'ECONNREFUSED' });

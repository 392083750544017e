import assert from 'node:assert/strict';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { traceContext } from '../../../src/gateway/traceContext';
import type { ServerConnection } from '../../../src/host';
import { raw } from '../../setup/raw';
import { hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
const tracestate = 'vendor=opaque,other=1';
const baggage = 'user=a%20b;flag, team=x';

describe('the trace context of a request', () => {
  it('is forwarded as far as it is valid @traceContext.forwarded-far-valid', () => {
    const all = { traceparent, tracestate, baggage };
    assert.deepEqual(traceContext({ ...all, progressToken: 1, 'io.modelcontextprotocol/logLevel': 'info' }), all);
    assert.deepEqual(traceContext({ traceparent }), { traceparent });
    assert.deepEqual(traceContext({ baggage }), { baggage });
    assert.equal(traceContext(undefined), undefined);
    assert.equal(traceContext({ progressToken: 1 }), undefined);
  });

  for (const wrong of [
    '',
    7,
    null,
    [traceparent],
    { traceparent },
    traceparent.toUpperCase(),
    `${traceparent}\n`,
    `${traceparent}-extra`,
    traceparent.replace(/^00/, 'ff'),
    traceparent.replace(/-0af[0-9a-f]*/, `-${'0'.repeat(32)}`),
    traceparent.replace(/-00f[0-9a-f]*/, `-${'0'.repeat(16)}`),
  ]) {
    it(`does not go on with the parent ${JSON.stringify(wrong)}, and neither does its state @traceContext.go-parent-neither`, () => {
      assert.equal(traceContext({ traceparent: wrong, tracestate }), undefined);
    });
  }

  for (const wrong of ['', ' , ', 'no member', 7, {}, 'a=b\r\nx: y', 'a=\u202e', `a=${'b'.repeat(8_192)}`]) {
    it(`is forwarded without an invalid list: ${JSON.stringify(wrong).slice(0, 30)}`, () => {
      assert.deepEqual(traceContext({ traceparent, tracestate: wrong, baggage: wrong }), { traceparent });
    });
  }
});

for (const era of ERAS) {
  it(`the trace context of the editor's client reaches the server with each request, and nothing else of its _meta (${era}) @traceContext.trace-context-editor`, async () => {
    const t = new TestGateway();
    try {
      await t.serve({ one: hostile() });
      const sent = await sentBy(t.test.server('one'));
      const client = await t.connect('one', era);
      const _meta = { traceparent, tracestate, 'com.example/private': 'x' };
      await client.callTool({ name: 'echo', arguments: { text: 'x' }, _meta });
      await client.getPrompt({ name: 'hello', _meta });
      await client.readResource({ uri: 'hostile://notes/readme.md', _meta });
      await client.request({ method: 'resources/list', params: { _meta } });
      for (const method of ['tools/call', 'prompts/get', 'resources/read', 'resources/list']) {
        const { progressToken: _, ...meta } = sent.findLast(message => message.method === method)?.meta ?? {};
        assert.deepEqual(meta, { traceparent, tracestate }, method);
      }
      await client.callTool({ name: 'echo', arguments: { text: 'x' }, _meta: { traceparent: 'nonsense' } });
      const { progressToken: _, ...last } = sent.at(-1)?.meta ?? {};
      assert.deepEqual([sent.at(-1)?.method, last], ['tools/call', {}]);
    } finally {
      await t.close();
    }
  });
}

/** What the host sends to a server from now on. */
async function sentBy(server: ServerConnection): Promise<{ method: string; meta: Record<string, unknown> }[]> {
  const sent: { method: string; meta: Record<string, unknown> }[] = [];
  await raw(server).request('watch', async client => {
    const transport = client.transport!;
    const original = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, how) => {
      if ('method' in message) sent.push({ method: message.method, meta: { ...message.params?._meta } });
      return original(message, how);
    };
  });
  return sent;
}

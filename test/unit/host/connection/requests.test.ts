import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../../src/base/errors';
import type { ServerConnection } from '../../../../src/host';
import type { ReplayedCalls } from '../../../../src/host/connection/connectionOptions';
import { startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { fixture, hostile, TestHost } from '../testHost';

const tool = (server: ServerConnection, name: string): Tool => server.catalog.tools.find(t => t.name === name)!;

describe('a call left unanswered by a server that ended', () => {
  const call = async (
    replaySafeCalls: ReplayedCalls | undefined,
    annotations: Tool['annotations'],
    ...more: string[]
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-host-'));
    const test = new TestHost({}, replaySafeCalls ? { replaySafeCalls: () => replaySafeCalls } : {});
    try {
      test.configure({ one: hostile(`--die-at-first-call=${join(folder, 'called')}`, ...more) });
      const server = await test.loads('one');
      const { annotations: _, ...echo } = tool(server, 'echo');
      const result = await raw(server).callTool({ ...echo, ...(annotations && { annotations }) }, { text: 'again' });
      assert.ok(test.logged(/^echo is called again/));
      return JSON.stringify(result.content);
    } finally {
      await test.close();
      rmSync(folder, { recursive: true });
    }
  };

  it('is repeated when the setting allows it and the tool is read-only or idempotent', async () => {
    assert.match(await call('readOnlyOrIdempotent', { readOnlyHint: true }), /again/);
    assert.match(await call('readOnlyOrIdempotent', { idempotentHint: true, destructiveHint: true }), /again/);
  });

  it('is repeated by default when the tool is read-only and idempotent', async () => {
    assert.match(await call(undefined, { readOnlyHint: true, idempotentHint: true }), /again/);
    await assert.rejects(call(undefined, { readOnlyHint: true }), /"one" could not call echo/);
    await assert.rejects(call(undefined, { idempotentHint: true }), /may have been carried out anyway, so check/);
  });

  it('is not repeated without the setting', async () => {
    await assert.rejects(call('never', { readOnlyHint: true, idempotentHint: true }), /"one" could not call echo/);
  });

  it('is not repeated when the tool does not declare it safe', async () => {
    for (const annotations of [undefined, {}, { readOnlyHint: false }, { destructiveHint: false }])
      await assert.rejects(call('readOnlyOrIdempotent', annotations), /"one" could not call echo/);
  });

  it('is repeated only once', async () => {
    const annotations = { readOnlyHint: true, idempotentHint: true };
    await assert.rejects(call(undefined, annotations, '--die-at=tools/call'), /"one" could not call echo/);
  });
});

describe('a cancelled request', () => {
  /** Sends a request and aborts it at once. Returns what went over the wire, and the error. */
  const cancel = async (server: ServerConnection, send: (client: Client, options: object) => Promise<unknown>) => {
    const sent: { method: string; aborted: boolean | undefined }[] = [];
    const abort = new AbortController();
    const answer = raw(server).request(
      'do it',
      (client, options) => {
        const transport = client.transport!;
        const original = transport.send.bind(transport);
        transport.send = (message, how) => {
          const entry = { method: 'method' in message ? message.method : '', aborted: how?.requestSignal?.aborted };
          how?.requestSignal?.addEventListener('abort', () => {
            entry.aborted = true;
          });
          sent.push(entry);
          queueMicrotask(() => abort.abort());
          return original(message, how);
        };
        return send(client, options);
      },
      { signal: abort.signal },
    );
    const error = await answer.then(
      () => assert.fail('it was answered'),
      (reason: HostError) => reason,
    );
    assert.equal(error.code, 'CANCELLED');
    assert.match(error.message, /could not do it: it was cancelled/);
    return sent;
  };
  const hang = (client: Client, options: object) =>
    client.callTool({ name: 'wait', arguments: { ms: 60_000 } }, options);

  it('over stdio is announced to a legacy server, whose late answer is ignored silently @requests.stdio-announced-legacy', async () => {
    const test = new TestHost();
    try {
      test.configure({ one: hostile('--late-answers') });
      const server = await test.loads('one');
      const sent = await cancel(server, hang);
      assert.deepEqual(
        sent.map(({ method }) => method),
        ['tools/call', 'notifications/cancelled'],
      );
      await waitFor(() => test.logged(/"requestId"/), { what: 'the server to know' });
      assert.equal((await raw(server).readResource('hostile://notes/readme.md')).contents.length, 1);
      const noise = test.logs.filter(
        ({ source, level }) => source === 'lifecycle' && !['debug', 'info'].includes(level),
      );
      assert.deepEqual(noise, []);
      assert.equal(server.state.kind, 'ready');
      assert.ok(test.logged(/^tools\/call was cancelled: .*aborted/), 'the reason is logged');
    } finally {
      await test.close();
    }
  });

  it('over stdio is announced to a modern server @requests.stdio-announced-modern', async () => {
    const test = new TestHost({}, { trace: () => ({ messages: 1_000, size: 1e7 }) });
    try {
      test.configure({ one: fixture('content') });
      const server = await test.loads('one');
      assert.equal(server.info?.era, 'modern');
      const sent = await cancel(server, (client, options) => client.request({ method: 'resources/list' }, options));
      assert.deepEqual(
        sent.map(({ method }) => method),
        ['resources/list', 'notifications/cancelled'],
      );
      const written = test.host.trace
        .records()
        .filter(({ direction }) => direction === 'sent')
        .map(({ text }) => JSON.parse(text) as { id?: unknown; method: string; params?: { requestId?: unknown } });
      const [cancelled] = written.filter(({ method }) => method === 'notifications/cancelled');
      assert.equal(cancelled?.params?.requestId, written.findLast(({ method }) => method === 'resources/list')?.id);
    } finally {
      await test.close();
    }
  });

  it('over HTTP is announced to a legacy server; to a modern one by closing its stream @requests.http-announced-legacy', async () => {
    const http = await startHttpFixture();
    const test = new TestHost();
    try {
      test.configure({ legacy: { url: http.url('/mcp') }, modern: { url: http.url('/modern') } });
      const legacy = await cancel(await test.loads('legacy'), hang);
      assert.deepEqual(
        legacy.map(({ method }) => method),
        ['tools/call', 'notifications/cancelled'],
      );
      await waitFor(async () => (await http.requests()).some(({ body }) => body.includes('notifications/cancelled')), {
        what: 'the notification to arrive',
      });
      const modern = await cancel(await test.loads('modern'), (client, options) =>
        client.callTool({ name: 'echo', arguments: { text: 'x' } }, options),
      );
      assert.deepEqual(modern, [{ method: 'tools/call', aborted: true }]);
      const logged = (id: string) =>
        test.logs.filter(({ server, data }) => server === id && /^tools\/call was cancelled: ./.test(String(data)))
          .length;
      assert.deepEqual(['legacy', 'modern'].map(logged), [1, 1], 'the reason is logged once for each');
    } finally {
      await test.close();
      await http.stop();
    }
  });

  it('is not sent if cancelled before @requests.sent-cancelled', async () => {
    const test = new TestHost();
    try {
      test.configure({ one: hostile() });
      const server = await test.loads('one');
      const echo = raw(server).callTool(tool(server, 'echo'), { text: 'x' }, { signal: AbortSignal.abort() });
      await assert.rejects(echo, /"one" could not call echo: it was cancelled/);
    } finally {
      await test.close();
    }
  });
});

describe('a time limit', () => {
  it('longer than any timer is the longest timer, not none', async () => {
    const test = new TestHost();
    try {
      test.configure({ one: hostile() });
      const server = await test.loads('one');
      for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 40, Number.NaN, -1, 0]) {
        const call = raw(server).request(
          'wait',
          (client, options) => client.callTool({ name: 'wait', arguments: { ms: 30, steps: 1 } }, options),
          { timeoutMs },
        );
        assert.match(JSON.stringify(await call), /waited 30 ms/);
      }
    } finally {
      await test.close();
    }
  });
});

describe('completion of an argument', () => {
  const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } } as const;

  const completes = async (
    flags: string[],
    check: (server: ServerConnection, asked: () => number) => Promise<void>,
  ) => {
    const test = new TestHost();
    try {
      test.configure({ one: hostile(...flags) });
      const asked = () => test.logs.filter(({ data }) => /asked for completion/.test(String(data))).length;
      await check(await test.loads('one'), asked);
    } finally {
      await test.close();
    }
  };
  const silently = '--no-capability=completions';

  it('is tried on a server of 2024-11-05, which had no capability for it', () =>
    completes(['--old-protocol=2024-11-05', silently], async server => {
      assert.ok(server.info?.capabilities.completions);
      assert.deepEqual((await raw(server).complete(params)).values, ['Ada', 'Alan']);
    }));

  it('is not tried on a newer server without the capability @requests.tried-newer-server', () =>
    completes(['--old-protocol=2025-03-26', silently, '--no-method=completion/complete'], async (server, asked) => {
      assert.deepEqual(await raw(server).complete(params), { values: [] });
      assert.equal(asked(), 0);
    }));

  it('is tried once on a server that turns out not to support it', () =>
    completes(['--old-protocol=2024-11-05', silently, '--no-method=completion/complete'], async (server, asked) => {
      for (let i = 0; i < 3; i++) assert.deepEqual(await raw(server).complete(params), { values: [] });
      await waitFor(() => asked() > 0, { what: 'the request' });
      assert.equal(asked(), 1);
      assert.equal(server.info?.capabilities.completions, undefined);
    }));

  it('fails like any request when the server declares it but fails', () =>
    completes(['--old-protocol=2024-11-05', '--error-at=completion/complete'], async server => {
      await assert.rejects(raw(server).complete(params), { code: 'PROTOCOL', rpcCode: -32603 });
    }));
});

for (const era of ['legacy', 'modern'] as const) {
  describe(`an error of a server, ${era} era`, () => {
    const errors = [
      { code: -32002, message: 'Resource not found', data: { uri: 'x://y' } },
      { code: -32602, message: 'Resource not found', data: { uri: 'x://y' } },
      { code: -32002, message: 'not here', data: { uri: 'x://y', why: 'moved' } },
      { code: -32042, message: 'visit a page', data: { elicitations: [], why: 'policy' } },
      { code: -32022, message: 'too old', data: { supported: ['2026-07-28'], requested: 'x', why: 'policy' } },
      { code: -32003, message: 'no sampling', data: { requiredCapabilities: { sampling: {} }, why: 'policy' } },
      { code: -32050, message: 'no data' },
    ];

    for (const [method, send] of [
      ['resources/read', server => raw(server).readResource('x://y')],
      ['prompts/get', server => raw(server).getPrompt('hello', {})],
      ['tools/call', server => raw(server).callTool(tool(server, 'echo'), {})],
    ] as [string, (server: ServerConnection) => Promise<unknown>][]) {
      it(`keeps its code and data: ${method}`, async () => {
        const test = new TestHost();
        try {
          for (const { code, message, data } of errors) {
            const members = `"error":${JSON.stringify({ code, message, data })}`;
            test.configure({
              one: hostile(...(era === 'modern' ? ['--modern'] : []), `--answer-at=${method} ${members}`),
            });
            const server = await test.loads('one');
            assert.equal(server.info?.era, era);
            await assert.rejects(send(server), ({ rpcError, rpcCode }: HostError) => {
              assert.deepEqual(rpcError, { code, message, data });
              return rpcCode === code;
            });
          }
        } finally {
          await test.close();
        }
      });
    }
  });
}

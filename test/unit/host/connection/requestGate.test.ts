import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ServerConnection } from '../../../../src/host';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

const textOf = ({ content }: CallToolResult) => (content[0] as { text: string }).text;

describe('requests in flight', () => {
  const withServer = async (
    inFlight: () => number,
    entry: object,
    run: (server: ServerConnection, test: TestHost) => Promise<void>,
  ) => {
    await using test = new TestHost({}, { limits: () => ({ requestsInFlight: inFlight() }) });
    test.configure({ one: entry });
    await run(await test.loads('one'), test);
  };
  const crowd = async (server: ServerConnection, calls: number) => {
    const tool = server.catalog.tools.find(({ name }) => name === 'crowd')!;
    const results = await Promise.all(Array.from({ length: calls }, () => raw(server).callTool(tool, {})));
    return Math.max(...results.map(result => Number(textOf(result))));
  };

  it('are limited by the setting, which applies immediately', async () => {
    let limit = 3;
    await withServer(
      () => limit,
      hostile('--crowd=20'),
      async (server, test) => {
        assert.equal(await crowd(server, 12), 3);
        limit = 6;
        test.configure({ one: hostile('--crowd=20') });
        assert.equal(await crowd(server, 12), 6);
      },
    );
  });

  it('can be cancelled while waiting, and report after their time limit what blocked them', async () => {
    await withServer(
      () => 1,
      hostile('--hang-at=tools/call'),
      async (server, test) => {
        const [held, abort] = [new AbortController(), new AbortController()];
        const hung = raw(server).callTool(server.catalog.tools[0]!, {}, { signal: held.signal });
        const cancelled = raw(server).readResource('hostile://notes/readme.md', abort.signal);
        abort.abort();
        await assert.rejects(cancelled, /could not read .*: it was cancelled/);
        await test.withLimits('one', { requestMs: 500 }, () =>
          assert.rejects(
            raw(server).readResource('hostile://notes/readme.md'),
            /"one" could not read .*: it was busy with other requests for 0.5 s\. Restart it .*requestsInFlight/,
          ),
        );
        held.abort();
        await assert.rejects(hung, /cancelled/);
        assert.equal((await raw(server).readResource('hostile://notes/readme.md')).contents.length, 1);
      },
    );
  });

  it('fail while waiting when the server fails', async () => {
    await withServer(
      () => 1,
      hostile('--hang-at=tools/call'),
      async (server, test) => {
        const calls = [1, 2, 3].map(() => raw(server).callTool(server.catalog.tools[0]!, {}));
        void server.stop('test');
        for (const call of calls) await assert.rejects(call, /"one" could not call echo/);
        assert.equal(test.server('one').state.kind, 'stopped');
      },
    );
  });
});

describe('a request to a server that is not ready', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());
  const read = () => raw(test.server('one')).readResource('hostile://notes/readme.md');

  it('waits while it is starting', async () => {
    test.configure({ one: hostile('--slow-start=200') });
    assert.equal(test.server('one').state.kind, 'starting');
    assert.equal((await read()).contents.length, 1);
  });

  it('waits no longer than its own limit', async () => {
    test.configure({ one: { ...hostile('--slow-start=3000'), timeouts: { requestMs: 150 } } });
    await assert.rejects(read(), /it is still starting\. Wait until it is ready/);
  });

  it('waits while it is reconnecting', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    process.kill(test.pid('one'), 'SIGKILL');
    await test.reaches('one', 'reconnecting');
    assert.equal((await read()).contents.length, 1);
  });

  it('fails immediately when the server has failed, with the reason', async () => {
    test.configure({ one: hostile('--exit-at-start=3') });
    await test.reaches('one', 'failed');
    await assert.rejects(
      read(),
      /"one" could not read .*: it is not running: Error: missing API_KEY \(its process exited with code 3\)/,
    );
  });

  it('fails when the awaited start fails', async () => {
    test.configure({ one: hostile('--exit-at-start=3') });
    await assert.rejects(read(), /it is not running: Error: missing API_KEY \(its process exited with code 3\)/);
  });

  it('ends when the server is stopped', async () => {
    test.configure({ one: hostile('--slow-start=3000') });
    const answer = read();
    void test.server('one').stop('test');
    await assert.rejects(answer, /it is stopped/);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as settled } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import type { ServerInfo } from '../../../../src/host';
import { ChangeStream } from '../../../../src/host/subscriptions/changeStream';
import { startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { Clock } from '../../clock';
import { TestHost } from '../testHost';

describe('the change stream of a modern server over HTTP', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('announces a new tool', async () => {
    const fixture = await startHttpFixture();
    try {
      test.configure({ modern: { url: fixture.url('/modern') } });
      const server = await test.loads('modern');
      // It says so to those who listen, which begins when the server is ready.
      await waitFor(async () => (await fixture.requests()).some(({ body }) => body.includes('subscriptions/listen')), {
        what: 'the subscription',
      });
      await raw(server).callTool({ name: 'change', inputSchema: { type: 'object' } }, {});
      await waitFor(() => server.catalog.tools.some(({ name }) => name === 'after-change'), { what: 'the new tool' });
    } finally {
      await test.close();
      await fixture.stop();
    }
  });

  it('reopens only when the followed resources differ', async () => {
    const followed: (string[] | undefined)[] = [];
    const client: Pick<Client, 'listen'> = {
      listen: async filter => {
        followed.push(filter.resourceSubscriptions);
        return { honoredFilter: filter, closed: new Promise(() => {}), close: async () => {} };
      },
    };
    const capabilities = { resources: { listChanged: true, subscribe: true } };
    const info = { capabilities } as ServerInfo;
    const stream = new ChangeStream(client as Client, { info, events: false }, { report: () => {}, log: assert.fail });
    for (const uris of [[], [], ['a:b'], [], []]) {
      stream.follow(uris);
      await settled();
    }
    stream.dispose();
    assert.deepEqual(followed, [undefined, ['a:b'], undefined]);
  });

  it('reports what the server did not acknowledge as unsupported @changeStream.reports-server', async () => {
    const states: string[] = [];
    const client: Pick<Client, 'listen'> = {
      listen: async () => ({
        honoredFilter: { resourceSubscriptions: ['a:b'] },
        closed: new Promise(() => {}),
        close: async () => {},
      }),
    };
    const info = { capabilities: { resources: { subscribe: true } } } as ServerInfo;
    const report = (uri: string, state: string) => void states.push(`${uri} ${state}`);
    const stream = new ChangeStream(client as Client, { info, events: false }, { report, log: assert.fail });
    await settled();
    stream.follow(['a:b', 'c:d']);
    await settled();
    stream.dispose();
    assert.deepEqual(states, ['a:b live', 'c:d unsupported']);
  });

  it('closes after the messages sent before the next one have arrived', async () => {
    const clock = new Clock();
    clock.start();
    try {
      const closed: string[] = [];
      const client: Pick<Client, 'listen'> = {
        listen: async filter => {
          const name = String(filter.resourceSubscriptions);
          const { promise, resolve } = Promise.withResolvers<'local'>();
          const close = async () => {
            if (!closed.includes(name)) closed.push(name);
            resolve('local');
          };
          return { honoredFilter: filter, closed: promise, close };
        },
      };
      const info = { capabilities: { resources: { subscribe: true } } } as ServerInfo;
      const stream = new ChangeStream(
        client as Client,
        { info, events: false },
        { report: () => {}, log: assert.fail },
      );
      const follow = async (...uris: string[]) => {
        stream.follow(uris);
        await settled();
      };
      await follow();
      await follow('a:1');
      await follow('a:2');
      await clock.pass(999);
      assert.deepEqual(closed, []);
      await clock.pass(1);
      assert.deepEqual(closed, ['a:1']);
      await follow('a:3');
      await follow('a:4');
      assert.deepEqual(closed, ['a:1', 'a:2'], 'never more than two are open');
      await follow();
      assert.deepEqual(closed, ['a:1', 'a:2', 'a:3', 'a:4'], 'nobody follows anything');
      await follow('a:5');
      await follow('a:6');
      stream.dispose();
      assert.deepEqual(closed.slice(4), ['a:5', 'a:6']);
    } finally {
      clock.stop();
    }
  });

  it('reopens with pauses when it ends repeatedly', async () => {
    let listens = 0;
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method, params } = JSON.parse(body || '{}');
      if (method !== 'subscriptions/listen') {
        const capabilities = { tools: { listChanged: true } };
        const common = {
          resultType: 'complete',
          ttlMs: 0,
          cacheScope: 'private',
          serverInfo: { name: 's', version: '1' },
        };
        const result = { ...common, supportedVersions: ['2026-07-28'], capabilities, tools: [] };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        return;
      }
      listens++;
      const acknowledged = {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: params.notifications },
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(acknowledged)}\n\n`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      test.configure({ modern: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } });
      await test.loads('modern');
      await waitFor(() => listens >= 2, { what: 'the second time' });
      // Without a pause there would be hundreds while this asks.
      const { catalog } = test.server('modern');
      for (let i = 0; i < 20; i++) await catalog.load('tools');
      assert.ok(listens <= 3, `${listens} times`);
      assert.equal(test.server('modern').state.kind, 'ready');
    } finally {
      await test.close();
      server.close();
    }
  });
});

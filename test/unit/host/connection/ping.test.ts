import assert from 'node:assert/strict';
import type { Client, DiscoverResult } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { Pings } from '../../../../src/host/connection/ping';
import type { ServerInfo } from '../../../../src/host/sdk/serverInfo';
import { waitFor } from '../../../servers/spawn';

/** A server that answers no ping, how often it was asked, and what was heard of it all the same. */
class Mute {
  asked = 0;
  isLost = false;
  isBusy = false;
  readonly traffic = { received: 0, sent: 0 };
  readonly logs: string[] = [];
  /** Called with each ping. */
  atPing = () => {};
  readonly client = {
    ping: async () => {
      this.asked++;
      this.atPing();
      throw new Error('Request timed out');
    },
  } as unknown as Client;
  readonly health = new Pings(this, { era: 'legacy', transport: 'stdio' } as ServerInfo, 1, {
    isBusy: () => this.isBusy,
    lost: () => {
      this.isLost = true;
    },
    changed: () => assert.fail('it is of the legacy era'),
    log: { write: (level, what) => void this.logs.push(`${level}: ${what}`) },
  });
}

describe('Pings', () => {
  let server: Mute;
  beforeEach(() => {
    server = new Mute();
  });
  afterEach(() => server.health.dispose());

  const lost = () => waitFor(() => server.isLost, { what: 'the loss' });

  it('reports a server as lost after three unanswered pings @ping.reports-server-lost', async () => {
    await lost();
    assert.equal(server.asked, 3);
  });

  it('logs each missed ping, with the threshold and the reason @ping.logs-missed-ping', async () => {
    await lost();
    assert.deepEqual(
      server.logs,
      [1, 2, 3].map(count => `notice: no answer to a ping (${count} of 3): Request timed out`),
    );
  });

  it('logs at debug level a ping that a busy server does not answer @ping.logs-debug-level', async () => {
    server.isBusy = true;
    server.atPing = () => {
      server.isBusy = server.asked < 2;
    };
    await lost();
    assert.equal(server.logs[0], 'debug: no answer to a ping (it is at work): Request timed out');
  });

  it('ignores a ping sent while a request was in flight', async () => {
    server.isBusy = true;
    server.atPing = () => {
      // The request ends while the ping is under way.
      server.isBusy = server.asked < 6;
    };
    await lost();
    assert.equal(server.asked, 9);
  });

  it('ignores a ping during which a request began', async () => {
    server.atPing = () => {
      server.isBusy = server.asked <= 2;
    };
    await lost();
    assert.equal(server.asked, 6, 'of two pings the first began before the request, the second while it was in flight');
  });

  it('counts any message during a ping as a sign of life', async () => {
    server.atPing = () => {
      if (server.asked < 6) server.traffic.received += 10;
    };
    await lost();
    assert.equal(server.asked, 8);
  });

  it('counts any message between two pings as a sign of life @ping.counts-message-two', async () => {
    server.atPing = () => {
      if (server.asked === 2) setImmediate(() => server.traffic.received++);
    };
    await lost();
    assert.equal(server.asked, 5);
  });
});

/** A server of the modern era over HTTP, which says of itself what a test makes it say. */
class Modern {
  asked = 0;
  answer: Partial<DiscoverResult> & { ttlMs?: unknown } = {};
  lost: string | undefined;
  readonly changes: ServerInfo[] = [];
  readonly logs: string[] = [];
  readonly traffic = undefined;
  readonly client = {
    discover: async () => {
      this.asked++;
      const said = { capabilities: { tools: {} }, instructions: 'Be kind.' };
      return { supportedVersions: ['2026-07-28'], ...said, ...this.answer };
    },
  } as unknown as Client;
  readonly info: ServerInfo = {
    implementation: { name: 'modern', version: '1' },
    protocolVersion: '2026-07-28',
    era: 'modern',
    capabilities: { tools: {} },
    instructions: 'Be kind.',
    transport: 'http',
  };

  /** @param intervalMs 0: it is asked only when what it said is stale. */
  watch(intervalMs: number, ttlMs?: number): Pings {
    const watcher = {
      isBusy: () => false,
      lost: (reason: Parameters<typeof english>[0]) => {
        this.lost = english(reason);
      },
      changed: (info: ServerInfo) => void this.changes.push(info),
      log: { write: (_: string, what: string) => void this.logs.push(what) },
    };
    return new Pings(this, { ...this.info, ...(ttlMs !== undefined && { ttlMs }) }, intervalMs, watcher);
  }
}

describe('The answer to server/discover', () => {
  const AN_HOUR = 3_600_000;
  let server: Modern;
  let health: Pings | undefined;
  beforeEach(() => {
    server = new Modern();
  });
  afterEach(() => health?.dispose());

  const asked = (times: number) => waitFor(() => server.asked >= times, { what: `${times} questions` });

  it('is applied after a ping: instructions, capabilities and identity', async () => {
    const serverInfo = { name: 'modern', version: '2' };
    const said = { instructions: 'Be quick.', capabilities: { tools: {}, prompts: {} } };
    server.answer = { ...said, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
    health = server.watch(1);
    await asked(3);
    assert.deepEqual(server.changes, [{ ...server.info, ...said, implementation: serverInfo, ttlMs: 0 }]);
    assert.deepEqual(server.logs, ['what it says of itself has changed']);
  });

  it('changes nothing when it is the same', async () => {
    health = server.watch(1);
    await asked(3);
    assert.deepEqual([server.changes, server.lost], [[], undefined]);
  });

  it('ends the session when it has another protocol version', async () => {
    server.answer = { supportedVersions: ['2027-03-01'] };
    health = server.watch(1);
    await waitFor(() => server.lost !== undefined, { what: 'the loss' });
    assert.equal(server.lost, 'it no longer speaks version 2026-07-28 of the protocol');
    assert.deepEqual(server.changes, []);
  });

  describe('over time', () => {
    const { now } = Date;
    const start = now();
    /** Lets it be so much later than at the start, in milliseconds. */
    const at = (ms: number) => {
      Date.now = () => start + ms;
    };
    // Before it is watched: what came in between would make it fresh for longer.
    beforeEach(() => at(0));
    afterEach(() => {
      Date.now = now;
    });

    it('is requested again only once it has expired', async () => {
      health = server.watch(0, AN_HOUR);
      at(AN_HOUR - 1);
      await health.refreshIfStale();
      assert.equal(server.asked, 0);
      at(AN_HOUR);
      server.answer = { instructions: 'Be quick.', ttlMs: AN_HOUR };
      await health.refreshIfStale();
      assert.deepEqual([server.asked, server.changes[0]?.instructions], [1, 'Be quick.']);
      at(2 * AN_HOUR - 1);
      await health.refreshIfStale();
      assert.equal(server.asked, 1);
    });

    for (const ttlMs of [0, -1, Number.NaN, '60', undefined]) {
      it(`is requested whenever it is needed, once for a burst, when its lifetime is ${String(ttlMs)}`, async () => {
        server.answer = { ttlMs };
        health = server.watch(0);
        at(300);
        await Promise.all([health.refreshIfStale(), health.refreshIfStale()]);
        at(599);
        await health.refreshIfStale();
        assert.equal(server.asked, 1);
        at(600);
        await health.refreshIfStale();
        assert.equal(server.asked, 2);
      });
    }
  });
});

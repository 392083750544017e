import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';
import { Health } from '../../../../src/host/connection/ping';
import type { ServerInfo } from '../../../../src/host/connection/session';
import { waitFor } from '../../../servers/spawn';

/** A server that answers no ping, how often it was asked, and what was heard of it all the same. */
class Mute {
  asked = 0;
  isLost = false;
  isBusy = false;
  readonly traffic = { received: 0, sent: 0 };
  /** Called with each ping. */
  atPing = () => {};
  readonly client = {
    ping: async () => {
      this.asked++;
      this.atPing();
      throw new Error('Request timed out');
    },
  } as unknown as Client;
  readonly health = new Health(
    this,
    { era: 'legacy', transport: 'stdio' } as ServerInfo,
    1,
    () => this.isBusy,
    () => {
      this.isLost = true;
    },
  );
}

describe('Health', () => {
  let server: Mute;
  beforeEach(() => {
    server = new Mute();
  });
  afterEach(() => server.health.dispose());

  const lost = () => waitFor(() => server.isLost, { what: 'the loss' });

  it('reports a server as lost after three pings without an answer', async () => {
    await lost();
    assert.equal(server.asked, 3);
  });

  it('counts no ping that was sent while a request was in flight', async () => {
    server.isBusy = true;
    server.atPing = () => {
      // The request ends while the ping is under way.
      server.isBusy = server.asked < 6;
    };
    await lost();
    assert.equal(server.asked, 9);
  });

  it('counts no ping during which a request began', async () => {
    server.atPing = () => {
      server.isBusy = server.asked <= 2;
    };
    await lost();
    assert.equal(server.asked, 6, 'of two pings the first began before the request, the second while it was in flight');
  });

  it('takes whatever the server says for a sign of life during a ping', async () => {
    server.atPing = () => {
      if (server.asked < 6) server.traffic.received += 10;
    };
    await lost();
    assert.equal(server.asked, 8);
  });

  it('takes whatever the server says for a sign of life between two pings', async () => {
    server.atPing = () => {
      if (server.asked === 2) setImmediate(() => server.traffic.received++);
    };
    await lost();
    assert.equal(server.asked, 5);
  });
});

import assert from 'node:assert/strict';
import dns from 'node:dns';
import { mock } from 'node:test';
import type { Tool } from '@modelcontextprotocol/client';
import { freePort } from '../../../servers/freePort';
import { type Relay, relayPort } from '../../../servers/relay';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestHost } from '../testHost';

const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const NAME = 'server.mcp-host.test';

describe('a server over a network', () => {
  let http: HttpFixture;
  let relays: Relay[];
  let test: TestHost;
  /** The address that the server's name resolves to now; undefined: ENOTFOUND. */
  let address: string | undefined;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  const lookup = (
    name: string,
    { all }: dns.LookupOptions,
    done: (error: Error | null, ...found: unknown[]) => void,
  ) => {
    const found = name === NAME ? address : name;
    if (found === undefined) done(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    else if (all) done(null, [{ address: found, family: 4 }]);
    else done(null, found, 4);
  };
  beforeEach(() => {
    relays = [];
    address = undefined;
    test = new TestHost({}, { limits: () => ({ pingIntervalMs: 500 }) });
    mock.method(dns, 'lookup', lookup);
  });
  afterEach(async () => {
    await test.close();
    await Promise.all(relays.map(relay => relay.close()));
    mock.restoreAll();
  });

  const relayed = async (at = 0, host = '127.0.0.1') => {
    const relay = await relayPort(http.port, at, host);
    relays.push(relay);
    return relay;
  };
  const answers = async () => {
    const { content } = await raw(test.server('far')).callTool(echo, { text: 'hello' });
    assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
  };

  it('whose connections are half-open fails calls at their limit, and answers over new ones then @faultsOfNetwork.connections-half-open', async () => {
    const relay = await relayed();
    test.configure({ far: { url: relay.url('/mcp') } });
    await test.loads('far');
    await answers();
    relay.silence();
    const silenced = relay.connections;
    const failures: string[] = [];
    await test.withLimits('far', { toolCallMs: 300 }, () =>
      waitFor(
        () =>
          answers().then(
            () => true,
            ({ code }) => failures.push(code) < 0,
          ),
        {
          what: () => `an answer over a new connection; there were ${failures}`,
        },
      ),
    );
    // As many as connections were kept.
    assert.ok(failures.length <= 5, failures.join());
    assert.deepEqual([...new Set(failures)], ['TIMEOUT']);
    assert.ok(relay.connections > silenced);
  });

  it('whose name is not found is unreachable, and is connected once it is found @faultsOfNetwork.name-found-unreachable', async () => {
    const port = await freePort();
    await relayed(port);
    test.configure({ far: { url: `http://${NAME}:${port}/mcp` } });
    const { error } = await test.reaches('far', 'failed');
    assert.match(error.message, /cannot reach http:\/\/server\.mcp-host\.test:\d+ \(ENOTFOUND\)/);
    address = '127.0.0.1';
    await test.loads('far');
    await answers();
  });

  it('that moves to another address is found there, without a new start by a person @faultsOfNetwork.moves-address-found', async () => {
    const port = await freePort();
    const before = await relayed(port);
    address = '127.0.0.1';
    test.configure({ far: { url: `http://${NAME}:${port}/mcp` } });
    await test.loads('far');
    await answers();
    await relayed(port, '127.0.0.2');
    address = '127.0.0.2';
    await before.close();
    await waitFor(() => answers().then(() => true), { what: 'an answer from the other address' });
  });
});

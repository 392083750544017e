import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { freePort } from '../../servers/freePort';
import { type Relay, relayPort } from '../../servers/relay';
import { type HttpFixture, startHttpFixture, waitFor } from '../../servers/spawn';
import { AgentsHome } from '../features/agents/core/testAgents';
import type { TestHost } from '../host/testHost';
import { TestGateway } from './testGateway';

const textOf = (result: unknown) => ((result as CallToolResult).content[0] as { text: string }).text;

describe('a remote server that is down', () => {
  let http: HttpFixture;
  let relay: Relay | undefined;
  let port = 0;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  beforeEach(async () => {
    port = await freePort();
    relay = await relayPort(http.port, port);
  });
  afterEach(() => relay?.close());

  const entry = () => ({ type: 'sse', url: `http://127.0.0.1:${port}/sse` });
  const breaks = async (test: TestHost) => {
    await relay?.close();
    relay = undefined;
    const isDown = () => {
      const { state } = test.server('far');
      return state.kind === 'reconnecting' && state.isDown;
    };
    await waitFor(isDown, { what: 'it to be down for a while' });
  };

  it('keeps its tools listed in native chat; a call says why, and is answered once it is back', async () => {
    const t = new TestGateway();
    try {
      await t.serve({ far: entry() });
      const client = await t.connect('far', 'legacy');
      const before = (await client.listTools()).tools.map(({ name }) => name);
      await breaks(t.test);
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        before,
      );
      const call = () => client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      const failed = await call();
      assert.equal(failed.isError, true);
      assert.match(textOf(failed), /"far" could not go on: not reachable for .*It is tried again when it is used/);
      relay = await relayPort(http.port, port);
      await waitFor(async () => textOf(await call()) === 'hello', { what: 'an answer' });
    } finally {
      await t.close();
    }
  });

  it('keeps its tools listed for agents; a call says why, and is answered once it is back', async () => {
    const home = new AgentsHome();
    try {
      const window = await home.window().share({ far: entry() });
      const client = await home.connect(home.folder);
      const before = (await client.listTools()).tools.map(({ name }) => name);
      assert.ok(before.includes('far__echo'), before.join());
      await breaks(window.test);
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        before,
      );
      const call = () => client.callTool({ name: 'far__echo', arguments: { text: 'hello' } });
      const failed = await call();
      assert.equal(failed.isError, true);
      assert.match(textOf(failed), /not reachable for .*ECONNREFUSED/);
      relay = await relayPort(http.port, port);
      await waitFor(async () => textOf(await call()) === 'hello', { what: 'an answer' });
    } finally {
      await home.close();
    }
  });
});

import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { processIsAlive, waitFor } from '../../servers/spawn';
import { hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : ''));

describe('servers behind the gateway', () => {
  let t: TestGateway;
  beforeEach(() => {
    t = new TestGateway();
  });
  afterEach(() => t.close());

  it('run once, however many clients there are', async () => {
    await t.serve({ one: hostile() });
    const pid = t.test.pid('one');
    for (const era of [...ERAS, ...ERAS]) {
      const client = await t.connect('one', era);
      assert.deepEqual(said(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).length, 1);
    }
    assert.equal(t.test.pid('one'), pid);
  });

  it('may have any name', async function () {
    this.timeout(60_000);
    const names = ['a?b#c d', '..', 'é ☃ 🐈', '%2e%2e', '~2e', 'a@folder', 'x'.repeat(100)];
    await t.serve(Object.fromEntries(names.map(name => [name, hostile()])));
    assert.equal(new Set(names.map(name => t.address(name).path)).size, names.length);
    for (const name of names) {
      const client = await t.connect(name, 'legacy');
      assert.equal(client.getServerVersion()?.name, name);
    }
  });

  for (const era of ERAS) {
    it(`may be started again: a ${era} client's request waits, and its session goes on`, async () => {
      await t.serve({ one: hostile() });
      const client = await t.connect('one', era);
      const before = t.test.pid('one');
      void t.test.server('one').restart('a test');
      const result = await client.callTool({ name: 'echo', arguments: { text: 'x' } });
      assert.notEqual(result.isError, true);
      assert.notEqual(t.test.pid('one'), before);
      await waitFor(() => !processIsAlive(before), { what: 'the old process to end' });
    });
  }

  it('that do not return in time are reported in a message, after `requestMs`', async () => {
    const entry = { ...hostile('--slow-start=20000'), timeouts: { requestMs: 400 } };
    await t.serve({ one: hostile() });
    const client = await t.connect('one', 'legacy');
    t.test.configure({ one: entry });
    const started = performance.now();
    const result = await client.callTool({ name: 'echo', arguments: { text: 'x' } });
    assert.ok(performance.now() - started >= 350);
    assert.equal(result.isError, true);
    assert.match(said(result).join(), /MCP server "one" could not call echo: it is starting/);
    await assert.rejects(client.listTools(), /it is starting/);
  });

  it('that are removed are gone for their clients at once', async () => {
    await t.serve({ one: hostile(), other: hostile() });
    const client = await t.connect('one', 'legacy');
    t.test.configure({ other: hostile() });
    await assert.rejects(client.callTool({ name: 'echo', arguments: { text: 'x' } }));
    await (await t.connect('other', 'legacy')).ping();
  });

  it('announce changes of their lists, few times for many', async function () {
    this.timeout(60_000);
    await t.serve({ hostile: hostile('--paced-storm=300') });
    for (const era of ERAS) {
      let changes = 0;
      const client = await t.connect('hostile', era, {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
      });
      void t.test.server('hostile').restart('a test');
      const names = async () => (await client.listTools()).tools.map(({ name }) => name).join();
      await waitFor(async () => /paced-10/.test(await names()), { timeoutMs: 30_000, what: 'the last state' });
      await waitFor(() => changes > 0, { what: 'an announcement' });
      assert.ok(changes < 10, `${changes} announcements`);
    }
  });

  it('list any number of items page by page', async () => {
    await t.serve({ hostile: hostile('--resources=1000', '--page-size=100', '--tools=300') });
    const client = await t.connect('hostile', 'legacy');
    let cursor: string | undefined;
    const uris = new Set<string>();
    do {
      const page = await client.request({ method: 'resources/list', params: cursor ? { cursor } : {} });
      for (const { uri } of page.resources) uris.add(uri);
      cursor = page.nextCursor;
    } while (cursor);
    assert.equal(uris.size, 1000);
    assert.equal((await client.listTools()).tools.length, 300);
  });

  it('lose only invalid list items', async () => {
    await t.serve({ hostile: hostile('--bad-items') });
    const client = await t.connect('hostile', 'legacy');
    assert.ok((await client.listTools()).tools.length > 0);
    assert.ok((await client.listResources()).resources.length > 0);
    assert.ok((await client.listPrompts()).prompts.length > 0);
  });
});

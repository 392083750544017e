import assert from 'node:assert/strict';
import { CATALOG_KINDS, type CatalogKind } from '../../../../src/host/reading/lists';
import { waitFor } from '../../../servers/spawn';
import { hostile, MapMemory, TestHost } from '../testHost';

/** What is remembered of the only server with lists, once it was written. */
async function kept(memory: MapMemory): Promise<{ key: string; lists: Record<string, { items: unknown[] }> }> {
  const entry = () => [...memory.values].find(([key]) => key.startsWith('catalog/'));
  await waitFor(entry, { what: 'the catalog to be written' });
  const [key, text] = entry()!;
  return { key, lists: JSON.parse(text) };
}

describe('the catalog of an earlier session', () => {
  const memory = new MapMemory();
  const hosts: TestHost[] = [];
  /** A window of the same person. */
  const open = (servers: Record<string, unknown>): TestHost => {
    const host = new TestHost({}, {}, memory);
    hosts.push(host);
    host.configure(servers);
    return host;
  };
  beforeEach(() => memory.values.clear());
  afterEach(() => Promise.all(hosts.splice(0).map(host => host.close())));

  /** Fills the memory with what a well-behaved server lists. */
  async function fill(...flags: string[]): Promise<void> {
    const first = open({ one: hostile(...flags) });
    await first.loads('one');
    await first.close();
    await kept(memory);
  }

  it('is available while the server starts, not live, and replaced by the live one @catalogCache.available-server-starts', async () => {
    await fill();
    const { catalog } = open({ one: hostile() }).server('one');
    await waitFor(() => catalog.list('tools').status === 'cached', { what: 'the kept tools' });
    for (const kind of CATALOG_KINDS) {
      const { items, cached } = catalog.list(kind);
      assert.ok(items.length > 0 && cached, kind);
      assert.equal(catalog.knownItems(kind), items);
      assert.deepEqual(catalog[kind], []);
    }
    await waitFor(() => catalog.list('tools').status === 'ready', { what: 'the live tools' });
    assert.equal(catalog.list('tools').cached, undefined);
    assert.equal(catalog.tools.length, 3);
    assert.equal(catalog.knownItems('tools'), catalog.tools);
  });

  it('stays during loading and after a failure, but is not live', async () => {
    await fill();
    const { key, lists } = await kept(memory);
    for (const [flag, status] of [
      ['--hang-at=tools/list', 'loading'],
      ['--error-at=tools/list', 'failed'],
    ] as const) {
      const { fingerprint } = open({ one: { ...hostile(flag), enabled: false } }).server('one').definition;
      assert.notEqual(`catalog/${fingerprint}`, key);
      memory.values.set(`catalog/${fingerprint}`, JSON.stringify(lists));
      const { catalog } = open({ one: hostile(flag) }).server('one');
      await waitFor(() => catalog.list('tools').status === status, { what: status });
      assert.equal(catalog.knownItems('tools').length, 3);
      assert.deepEqual(catalog.tools, []);
    }
  });

  it("is the last session's when the server is stopped or ends unexpectedly", async () => {
    const host = open({ one: hostile('--tools=7') });
    const server = await host.loads('one');
    process.kill(host.pid('one'), 'SIGKILL');
    await host.reaches('one', 'reconnecting');
    assert.equal(server.catalog.list('tools').status, 'cached');
    assert.equal(server.catalog.knownItems('tools').length, 7);
    assert.equal(server.catalog.tools.length, 0);
    await host.loads('one');
    assert.equal(server.catalog.tools.length, 7);
    await server.stop('test');
    assert.equal(server.catalog.knownItems('tools').length, 7);
    assert.equal(server.catalog.tools.length, 0);
  });

  it('is not used for a server with another fingerprint @catalogCache.used-server-fingerprint', async () => {
    await fill();
    const host = open({ one: hostile('--hang-at=initialize', '--hang-at=server/discover') });
    await host.reaches('one', 'starting');
    const { catalog } = host.server('one');
    host.configure({ one: { ...hostile(), enabled: false } });
    await waitFor(() => catalog.knownItems('tools').length === 3, {
      what: 'the tools of the fingerprint that is known',
    });
    host.configure({ one: { ...hostile('--tools=4'), enabled: false } });
    await waitFor(() => catalog.list('tools').status === 'unsupported', { what: 'the tools to go' });
  });

  it('drops what the server no longer has', async () => {
    await fill();
    const { key, lists } = await kept(memory);
    memory.values.set(
      key,
      JSON.stringify({ ...lists, tools: { items: [{ name: 'gone', inputSchema: { type: 'object' } }] } }),
    );
    const host = open({ one: hostile() });
    const { catalog } = await host.loads('one');
    assert.ok(!catalog.knownItems('tools').some(({ name }) => name === 'gone'));
  });

  it('is checked like an answer of the server', async () => {
    await fill();
    const { key, lists } = await kept(memory);
    const read = async (value: unknown) => {
      memory.values.set(key, typeof value === 'string' ? value : JSON.stringify(value));
      const host = open({ one: { ...hostile(), enabled: false } });
      const { catalog } = host.server('one');
      // Prompts are good each time, and come together with the others.
      await waitFor(() => catalog.knownItems('prompts').length === 2, { what: 'the kept prompts' });
      return (kind: CatalogKind) => catalog.list(kind);
    };
    const { prompts } = lists;
    const bad = [null, 7, 'text', {}, { name: 5 }, { name: 'y', inputSchema: { type: 'string' } }];
    const good = { name: 'z', inputSchema: { type: 'object' } };
    assert.deepEqual((await read({ prompts, tools: { items: [...bad, good] } }))('tools').items, [good]);
    for (const tools of [null, 7, [good], {}, { items: 'x' }, { items: null }]) {
      assert.equal((await read({ prompts, tools }))('tools').status, 'unsupported', JSON.stringify(tools));
    }
    const text = `{"__proto__":{"tools":{"items":[${JSON.stringify(good)}]}},"prompts":${JSON.stringify(prompts)}}`;
    assert.equal((await read(text))('tools').status, 'unsupported');
  });

  it('is ignored when corrupt', async () => {
    const host = open({ one: { ...hostile(), enabled: false } });
    const key = `catalog/${host.server('one').definition.fingerprint}`;
    for (const text of ['null', '7', '"x"', '[]', '{"tools":[]}']) {
      memory.values.set(key, text);
      const { catalog } = open({ one: hostile() }).server('one');
      await waitFor(() => catalog.list('tools').status === 'ready', { what: 'the live tools' });
      assert.equal(catalog.tools.length, 3);
    }
  });

  it('is bounded: it leaves out excess resources, and those left out before', async () => {
    await fill('--resources=60000', '--bad-items', '--duplicate-tools');
    const { key, lists } = await kept(memory);
    const text = memory.values.get(key)!;
    assert.ok(text.length < 2.3 * 1024 * 1024, `${text.length} characters`);
    assert.equal(lists.tools!.items.length, 3);
    assert.ok(lists.resources!.items.length > 1_000);
    assert.equal((lists.resources as { more?: boolean }).more, true);
    assert.deepEqual(Object.keys(lists).sort(), [...CATALOG_KINDS].sort());
  });

  it('has no cursor, only that there is more @catalogCache.cursor', async () => {
    await fill('--resources=3000', '--page-size=100');
    const { lists } = await kept(memory);
    for (const list of Object.values(lists)) {
      const { items: _, ...more } = list as { items: unknown[]; more?: unknown };
      assert.deepEqual(more, list === lists.resources ? { more: true } : {});
    }
  });

  it('is not rewritten without changes', async () => {
    let writes = 0;
    const counting = new (class extends MapMemory {
      override async write(key: string, value: unknown): Promise<void> {
        if (key.startsWith('catalog/')) writes++;
        await super.write(key, value);
      }
    })();
    const host = new TestHost({}, {}, counting);
    hosts.push(host);
    host.configure({ one: hostile() });
    const server = await host.loads('one');
    const isWhole = () => [...counting.values].some(([key, text]) => key.startsWith('catalog/') && hasAll(text));
    const hasAll = (text: string) => CATALOG_KINDS.every(kind => kind in JSON.parse(text));
    await waitFor(isWhole, { what: 'all lists to be written' });
    const before = writes;
    await Promise.all(CATALOG_KINDS.map(kind => server.catalog.load(kind)));
    await server.stop('test');
    assert.equal(writes, before);
  });
});

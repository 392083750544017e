import assert from 'node:assert/strict';
import { InMemoryTransport, type JSONRPCMessage, type ProtocolError } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { Catalog } from '../../../../src/host/catalog/catalog';
import type { CatalogKind } from '../../../../src/host/reading/lists';
import { HostClient } from '../../../../src/host/sdk/hostClient';
import { waitFor } from '../../../servers/spawn';
import { hostile, MapMemory, TestHost } from '../testHost';

describe('the pages of a list', function () {
  // Some are of lists that are meant to be too long.
  this.timeout(60_000);
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('are fetched for resources as far as requested @catalogPages.fetched-resources-far', async () => {
    test.configure({ many: hostile('--resources=2600', '--page-size=300') });
    const { catalog } = await test.loads('many');
    assert.equal(catalog.resources.length, 1_200);
    assert.equal(catalog.list('resources').more, true);
    await catalog.loadMore('resources');
    assert.equal(catalog.resources.length, 2_400);
    assert.equal(catalog.list('resources').status, 'ready');
    await catalog.loadMore('resources');
    assert.equal(catalog.resources.length, 2_600);
    assert.equal(catalog.list('resources').more, undefined);
    await catalog.loadMore('resources');
    assert.equal(new Set(catalog.resources.map(({ uri }) => uri)).size, 2_600);
  });

  it('are ten at first for a short resource list', async () => {
    test.configure({ many: hostile('--resources=100', '--page-size=3') });
    const { catalog } = await test.loads('many');
    assert.equal(catalog.resources.length, 30);
  });

  it('are all fetched for tools, prompts and templates @catalogPages.fetched-tools-prompts', async () => {
    test.configure({ many: hostile('--tools=2500', '--page-size=100') });
    assert.equal((await test.loads('many')).catalog.tools.length, 2_500);
  });

  it('are fetched again as far as they were shown when the list changes @catalogPages.fetched-far-shown', async () => {
    test.configure({ many: hostile('--resources=5000', '--page-size=200') });
    const { catalog } = await test.loads('many');
    await catalog.loadMore('resources');
    assert.equal(catalog.resources.length, 2_000);
    await catalog.load('resources');
    assert.equal(catalog.resources.length, 2_000);
    assert.equal(catalog.list('resources').more, true);
  });

  it('are all fetched on demand, with intermediate updates', async () => {
    test.configure({ many: hostile('--resources=20000', '--page-size=100') });
    const { catalog } = await test.loads('many');
    let shown = 0;
    catalog.onDidChange(() => shown++);
    const start = performance.now();
    await catalog.loadAllPages('resources');
    assert.equal(catalog.resources.length, 20_000);
    assert.ok(shown <= 4 + (performance.now() - start) / 400, `shown ${shown} times`);
  });

  it('can be cancelled, and continue from there later', async () => {
    test.configure({ many: hostile('--resources=20000', '--page-size=100') });
    const { catalog } = await test.loads('many');
    const abort = new AbortController();
    const walk = catalog.loadAllPages('resources', abort.signal);
    await waitFor(() => catalog.list('resources').status === 'loading', { what: 'the walk' });
    abort.abort();
    await walk;
    const { status, items, more } = catalog.list('resources');
    assert.equal(status, 'ready');
    assert.ok(more && items.length < 20_000);
    await catalog.loadAllPages('resources');
    assert.equal(new Set(catalog.resources.map(({ uri }) => uri)).size, 20_000);
  });

  it('are fetched once for all simultaneous callers', async () => {
    test.configure({ many: hostile('--resources=9000', '--page-size=100') });
    const { catalog } = await test.loads('many');
    const abort = new AbortController();
    const walks = [
      catalog.loadAllPages('resources', abort.signal),
      catalog.loadMore('resources'),
      catalog.loadAllPages('resources'),
    ];
    abort.abort();
    await Promise.all(walks);
    assert.equal(new Set(catalog.resources.map(({ uri }) => uri)).size, 9_000);
  });

  it('stop with their server', async () => {
    test.configure({ many: hostile('--resources=100000', '--page-size=10') });
    const server = await test.loads('many');
    const walk = server.catalog.loadAllPages('resources');
    await waitFor(() => server.catalog.list('resources').status === 'loading', { what: 'the walk' });
    await server.stop('test');
    await walk;
    assert.equal(server.catalog.list('resources').status, 'cached');
    assert.deepEqual(server.catalog.resources, []);
  });

  it('are limited when endless, with a note, and other servers keep working @catalogPages.limited-endless-note', async () => {
    test.configure({ endless: hostile('--endless-cursor=tools/list'), good: hostile() });
    await test.loads('good');
    const list = () => test.server('endless').catalog.list('tools');
    await waitFor(() => list().status === 'ready', { timeoutMs: 30_000, what: 'the cut' });
    assert.deepEqual(list().cut, { after: 2_000, unit: 'pages' });
    assert.equal(list().items.length, 2_000);
  });

  it('are limited by the number of items @catalogPages.limited-number-items', async () => {
    test.configure({ huge: hostile('--resources=200500', '--page-size=50000') });
    const { catalog } = await test.loads('huge');
    await catalog.loadAllPages('resources');
    assert.deepEqual(catalog.list('resources').cut, { after: 200_000, unit: 'items' });
    assert.equal(catalog.resources.length, 200_000);
    assert.equal(catalog.list('resources').more, undefined);
  });

  it('stop at a repeated cursor, with a note @catalogPages.stop-repeated-cursor', async () => {
    test.configure({ loop: hostile('--cursor-loop=prompts/list', '--cursor-loop=resources/list') });
    const { catalog } = await test.loads('loop');
    assert.equal(catalog.prompts.length, 4);
    assert.deepEqual(catalog.list('prompts').cut, { after: 4, unit: 'circle' });
    assert.deepEqual(catalog.list('resources').cut, { after: 4, unit: 'circle' });
    assert.equal(catalog.list('resources').more, undefined);
  });

  it('stop at an invalid cursor, which is reported', async () => {
    test.configure({ bad: hostile('--wrong-cursor') });
    const { catalog } = await test.loads('bad');
    assert.equal(catalog.tools.length, 3);
    assert.match(english(catalog.list('tools').excluded![0]!.reason), /cursor of the next page is a number/);
  });
});

const ERRORS = {
  invalid: { code: -32602, message: 'Invalid cursor' },
  unknown: { code: -32601, message: 'Method not found' },
};

/** A catalog in front of a server of the modern era that is scripted: each answer to a list is made by `answer`. */
async function modernCatalog(
  answer: (params: { cursor?: string }) => object | keyof typeof ERRORS,
  announces = false,
): Promise<{ catalog: Catalog; memory: MapMemory; asked: () => number; close: () => Promise<void> }> {
  const client = new HostClient({ name: 'test', version: '0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  let asked = 0;
  theirs.onmessage = message => {
    if (!('method' in message) || !('id' in message)) return;
    asked++;
    const answered = answer(message.params as { cursor?: string });
    const said =
      typeof answered === 'string'
        ? { error: ERRORS[answered] }
        : { result: { resultType: 'complete', cacheScope: 'private', ...answered } };
    void theirs.send({ jsonrpc: '2.0', id: message.id, ...said } as unknown as JSONRPCMessage);
  };
  await theirs.start();
  const discover = { supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' };
  await client.connect(ours, { prior: { kind: 'modern', discover: { resultType: 'complete', ...discover } as never } });
  const source = {
    request: <T>(_: string, send: (client: HostClient, options: object) => Promise<T>) =>
      send(client, {}).catch((error: ProtocolError) => {
        throw Object.assign(error, { rpcCode: error.code });
      }),
    announces: (_: CatalogKind) => announces,
    leftOut: () => {},
  };
  const memory = new MapMemory();
  const catalog = new Catalog(source as never, memory);
  return { catalog, memory, asked: () => asked, close: () => client.close() };
}

describe('a list that the server does not know', () => {
  it('is empty for templates, which no capability tells of, and an error for others', async () => {
    const { catalog, close } = await modernCatalog(() => 'unknown');
    await catalog.loadAll(['resources', 'resourceTemplates']);
    const { status, items, error } = catalog.list('resourceTemplates');
    assert.deepEqual([status, items, error], ['ready', [], undefined]);
    assert.match(catalog.list('resources').error!.message, /Method not found/);
    await close();
  });
});

describe('a page that cannot be fetched', () => {
  const resources = (n: number) => Array.from({ length: n }, (_, i) => ({ uri: `a:${n}/${i}`, name: 'x' }));
  const late = { ttlMs: 60_000 };

  for (const [first, when] of [
    [1_000, 'when more is asked for'],
    [3, 'at the first load'],
  ] as const) {
    it(`${when} is an error of the list, which keeps its items, and can be retried`, async () => {
      let isBroken = true;
      const { catalog, close } = await modernCatalog(({ cursor }) => {
        if (!cursor) return { ...late, resources: resources(first), nextCursor: 'x' };
        return { ...late, resources: isBroken ? 'text' : resources(7) };
      });
      await catalog.loadAll(['resources']);
      if (first === 1_000) await catalog.loadMore('resources');
      const { status, items, more, error } = catalog.list('resources');
      assert.deepEqual([status, items.length, more], ['failed', first, true]);
      assert.match(error!.message, /"resources" is a string/);
      isBroken = false;
      await catalog.loadMore('resources');
      assert.deepEqual([catalog.list('resources').status, catalog.resources.length], ['ready', first + 7]);
      assert.equal(catalog.list('resources').error, undefined);
      await close();
    });
  }
});

describe('a cursor that the server rejects', () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

  for (const kind of ['tools', 'resources'] as const) {
    it(`restarts the list: the shown ${kind} come from one walk, without duplicates @catalogPages.restarts-list-shown`, async () => {
      let isNew = false;
      const item = (name: string) => ({ ...tool(name), uri: `a:${name}` });
      const { catalog, asked, close } = await modernCatalog(({ cursor }) => {
        if (cursor === 'old-2') {
          isNew = true;
          return 'invalid';
        }
        const walk = isNew ? 'new' : 'old';
        const page = cursor === undefined ? 1 : Number(cursor.split('-')[1]);
        return { [kind]: [item(`${walk} ${page}`)], ...(page < 4 && { nextCursor: `${walk}-${page + 1}` }) };
      });
      await catalog.loadAll([kind]);
      assert.equal(catalog.list(kind).status, 'ready');
      assert.deepEqual(
        catalog.list(kind).items.map(({ name }) => name),
        ['new 1', 'new 2', 'new 3', 'new 4'],
      );
      assert.equal(asked(), 2 + 4);
      await close();
    });
  }

  it('restarts it twice at most: then the list fails, and keeps what was shown @catalogPages.restarts-twice-list', async () => {
    let isBroken = false;
    const { catalog, asked, close } = await modernCatalog(({ cursor }) => {
      if (cursor === undefined) return { tools: [tool('first')], nextCursor: 'second' };
      return isBroken ? 'invalid' : { tools: [tool('second')] };
    });
    await catalog.loadAll(['tools']);
    isBroken = true;
    const before = asked();
    await catalog.load('tools');
    const { status, items, error } = catalog.list('tools');
    assert.deepEqual([status, items.length, asked() - before], ['failed', 2, 3 * 2]);
    assert.match(error!.message, /Invalid cursor/);
    await close();
  });

  it('ends the list before one that is too much to keep @catalogPages.ends-before-much', async () => {
    const description = 'x'.repeat(7_500_000);
    const { catalog, asked, close } = await modernCatalog(({ cursor }) => ({
      tools: [{ name: `${cursor}`, description, inputSchema: { type: 'object' } }],
      nextCursor: `${Number(cursor ?? 0) + 1}`,
    }));
    await catalog.loadAll(['tools']);
    assert.deepEqual([catalog.tools.length, asked()], [4, 5]);
    assert.deepEqual(catalog.list('tools').cut, { after: 4, unit: 'items' });
    await close();
  });

  it('fails the list at once when no cursor was sent', async () => {
    const { catalog, asked, close } = await modernCatalog(() => 'invalid');
    await catalog.loadAll(['tools']);
    assert.deepEqual([catalog.list('tools').status, asked()], ['failed', 1]);
    await close();
  });
});

describe('a private list', () => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  const definitions = {
    remote: { entry: { type: 'http' } },
    local: { entry: { type: 'stdio' } },
    'local, with a secret that is filled in at launch,': { entry: { type: 'stdio' }, inputs: {} },
  };

  /** What is shown after the session, and whether anything was written. */
  const outlives = async (definition: object, pages: object[]) => {
    const { catalog, memory, close } = await modernCatalog(({ cursor }) => {
      const index = Number(cursor ?? 0);
      return {
        tools: index === 0 ? tools : [],
        ...pages[index],
        ...(pages[index + 1] && { nextCursor: `${index + 1}` }),
      };
    });
    await catalog.remember({ fingerprint: 'one', ...definition } as never);
    await catalog.loadAll(['tools']);
    assert.equal(catalog.tools.length, 1);
    catalog.clear();
    await waitFor(() => memory.values.has('catalog/one'), { what: 'the lists to be written' });
    await close();
    const isKept = memory.values.get('catalog/one')!.includes('"name":"a"');
    assert.equal(catalog.list('tools').items.length === 1, isKept);
    return isKept;
  };

  for (const [which, definition] of Object.entries(definitions)) {
    const isKept = which === 'local';
    it(`outlives the session of a server that is ${which}: ${isKept} @catalogPages.outlives-session-server`, async () => {
      assert.equal(await outlives(definition, [{ cacheScope: 'private' }]), isKept);
      assert.equal(await outlives(definition, [{ cacheScope: 'public' }]), true);
    });
  }

  it('is treated as private if any page is private or its scope is invalid @catalogPages.treated-private-page', async () => {
    for (const cacheScope of ['private', 'everybody', null, 7, {}])
      assert.equal(await outlives(definitions.remote, [{ cacheScope: 'public' }, { cacheScope }]), false);
  });
});

describe('the lifetime of a list', () => {
  const now = Date.now;
  const start = now();
  /** Lets it be so much later than at the start, in milliseconds: nothing else passes the time. */
  const pass = (ms: number) => {
    Date.now = () => start + ms;
  };
  beforeEach(() => pass(0));
  afterEach(() => {
    Date.now = now;
  });

  it('must have expired before an interested caller requests the list again @catalogPages.expired-interested-caller', async () => {
    const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
    const { catalog, asked, close } = await modernCatalog(() => ({ tools, ttlMs: 60_000 }));
    await catalog.loadAll(['tools']);
    await catalog.refreshIfStale('tools');
    pass(59_000);
    await catalog.refreshIfStale('tools');
    assert.equal(asked(), 1);
    pass(61_000);
    await catalog.refreshIfStale('tools');
    assert.equal(asked(), 2);
    await catalog.refreshIfStale('tools');
    assert.equal(asked(), 2);
    await close();
  });

  it('is that of the page that expires first @catalogPages.page-expires-first', async () => {
    const { catalog, asked, close } = await modernCatalog(({ cursor }) =>
      cursor ? { prompts: [], ttlMs: 10_000 } : { prompts: [], ttlMs: 90_000, nextCursor: 'x' },
    );
    await catalog.loadAll(['prompts']);
    assert.equal(asked(), 2);
    pass(11_000);
    await catalog.refreshIfStale('prompts');
    assert.equal(asked(), 4);
    await close();
  });

  it('of zero or less is over after a burst, for a view after 5 seconds, and never when changes are announced @catalogPages.zero-less-burst', async () => {
    for (const [ttlMs, announces, expected] of [
      [0, false, 2],
      [-5, false, 2],
      [0, true, 1],
      [1, true, 2],
    ] as const) {
      const { catalog, asked, close } = await modernCatalog(() => ({ tools: [], ttlMs }), announces);
      await catalog.loadAll(['tools']);
      pass(299);
      await catalog.refreshIfStale('tools');
      pass(4_999);
      await catalog.refreshIfStale('tools', 'view');
      assert.equal(asked(), 1);
      await catalog.refreshIfStale('tools');
      assert.equal(asked(), expected, `ttlMs ${ttlMs}, ${announces}`);
      pass(9_999);
      await catalog.refreshIfStale('tools', 'view');
      assert.equal(asked(), 2 * expected - 1, `ttlMs ${ttlMs}, ${announces}, for a view`);
      pass(0);
      await close();
    }
  });

  it('is not read from servers of the legacy era @catalogPages.read-servers-legacy', async () => {
    const test = new TestHost();
    try {
      test.configure({ old: hostile() });
      const { catalog } = await test.loads('old');
      pass(3_600_000);
      let changes = 0;
      catalog.onDidChange(() => changes++);
      await catalog.refreshIfStale('tools');
      assert.equal(changes, 0);
    } finally {
      await test.close();
    }
  });
});

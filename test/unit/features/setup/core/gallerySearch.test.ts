import assert from 'node:assert/strict';
import { GallerySearch, inOrder, MAX_FOUND, MAX_QUERY } from '../../../../../src/features/setup/core/gallerySearch';
import { RegistryClient, type RegistryServer } from '../../../../../src/features/setup/core/registryClient';
import { type RegistryFixture, startRegistry } from '../../../../servers/registry';
import { waitFor } from '../../../../servers/spawn';

describe('the search of the gallery', () => {
  let registry: RegistryFixture;
  let search: GallerySearch;
  before(async () => {
    registry = await startRegistry();
  });
  after(() => registry.stop());
  beforeEach(() => {
    registry.requests.length = 0;
    search = of('/good');
  });
  afterEach(() => {
    search.dispose();
  });

  const of = (path: string, options = {}) =>
    new GallerySearch(new RegistryClient(registry.url(path), options), () => {}, 1);
  const names = () => search.results.servers.map(({ name }) => name);
  const quiet = () => waitFor(() => !search.results.isBusy, { what: 'the answer' });
  const queries = () => registry.requests.map(url => new URL(url, 'http://x').searchParams.get('search'));

  it('asks nothing before it is told to', () => {
    assert.deepEqual(registry.requests, []);
    assert.deepEqual(search.results, { query: '', servers: [], isBusy: false, hasMore: false, error: undefined });
  });

  it('asks once for what was typed in one go', async () => {
    for (const text of ['w', 'we', 'wea', 'weather ']) search.type(text);
    assert.ok(search.results.isBusy);
    await quiet();
    assert.deepEqual(names(), ['io.github.example/weather-mcp']);
    assert.deepEqual(queries(), ['weather']);
  });

  it('shows earlier results until there is an answer, and drops the answer to an earlier query', async () => {
    search.type('weather');
    await quiet();
    search.type('server-7');
    const asked = search.ask();
    assert.deepEqual(names(), ['io.github.example/weather-mcp']);
    search.type('hostile');
    await asked;
    await quiet();
    assert.deepEqual(names(), ['com.example/hostile']);
  });

  it('begins with a query that is given', async () => {
    await search.ask('weather');
    assert.deepEqual(names(), ['io.github.example/weather-mcp']);
    assert.deepEqual([search.results.query, queries()], ['weather', ['weather']]);
  });

  it('loads page after page, each server once, without those that were deleted', async () => {
    await search.ask();
    assert.ok(search.results.hasMore);
    while (search.results.hasMore) await search.more();
    assert.equal(new Set(names()).size, names().length);
    assert.ok(names().length > 70);
    assert.ok(!names().includes('com.example/gone'));
    const before = registry.requests.length;
    await search.more();
    assert.equal(registry.requests.length, before);
  });

  it('says why the registry could not be asked, and asks again when told to', async () => {
    search = of('/500');
    await search.ask();
    assert.equal(search.results.error?.code, 'STATUS');
    assert.deepEqual(names(), []);
    const before = registry.requests.length;
    await search.again();
    assert.ok(registry.requests.length > before);
    search.type('x');
    assert.equal(search.results.error, undefined);
  });

  it('keeps what was found when the next page fails, and tries that page again', async () => {
    let fails = true;
    const server = (name: string): RegistryServer => ({
      ...{ name, title: undefined, description: '', version: '1', status: 'active' },
      ...{ packages: [], remotes: [] },
    });
    const cursors: (string | undefined)[] = [];
    const failing = {
      search: async (_text: string, cursor: string | undefined) => {
        cursors.push(cursor);
        if (cursor && fails) throw new Error('down');
        return { servers: [server(cursor ? 'b' : 'a')], cursor: cursor ? undefined : 'next' };
      },
    };
    search = new GallerySearch(failing, () => {});
    await search.ask();
    await search.more();
    assert.deepEqual([names(), search.results.error !== undefined], [['a'], true]);
    fails = false;
    await search.again();
    assert.deepEqual([names(), search.results.error, search.results.hasMore], [['a', 'b'], undefined, false]);
    assert.deepEqual(cursors, [undefined, 'next', 'next']);
  });

  it('is not led around in circles or without end', async () => {
    let count = 0;
    const page = () =>
      Array.from({ length: 30 }, () => ({
        ...{ name: `a/${count++}`, title: undefined, description: '', version: '1', status: 'active' as const },
        ...{ packages: [], remotes: [] },
      }));
    search = new GallerySearch({ search: async () => ({ servers: page(), cursor: String(count) }) }, () => {});
    await search.ask();
    while (search.results.hasMore) await search.more();
    assert.equal(names().length, MAX_FOUND);
    const same = page();
    search = new GallerySearch({ search: async (_, cursor) => ({ servers: same, cursor: `${cursor}x` }) }, () => {});
    await search.ask();
    while (search.results.hasMore) await search.more();
    assert.equal(names().length, 30);
    search.type('x'.repeat(10_000));
    assert.equal(search.results.query.length, MAX_QUERY);
  });

  it('stops asking when it is disposed', async () => {
    search = of('/slow');
    const asked = search.ask();
    search.dispose();
    await asked;
    assert.equal(search.results.error, undefined);
  });

  it('has an order for what was loaded, with what says nothing last', () => {
    const server = (name: string, details: object): RegistryServer => ({
      ...{ name, title: undefined, description: '', version: '', status: 'active', packages: [], remotes: [] },
      details: { icons: [], ...details },
    });
    const found = [server('z/b', { stars: 3 }), server('y/a', {}), server('x/c', { stars: 20, publishedAt: 5 })];
    const ordered = (order: Parameters<typeof inOrder>[1]) => inOrder(found, order).map(({ name }) => name);
    assert.deepEqual(ordered('registry'), ['z/b', 'y/a', 'x/c']);
    assert.deepEqual(ordered('stars'), ['x/c', 'z/b', 'y/a']);
    assert.deepEqual(ordered('name'), ['y/a', 'z/b', 'x/c']);
    assert.deepEqual(ordered('updated'), ['x/c', 'z/b', 'y/a']);
  });
});

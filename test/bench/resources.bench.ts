// A server that lists 100,000 resources in 1,000 pages: when the first rows of the tree are there, how long it takes until
// all are listed and searched, against JSON lines by hand in a plain array, how much memory they keep, and how long
// their tree and a key in the search box take.

import { folderTree } from '../../src/features/resources/core/resourceFolders';
import { SearchIndex } from '../../src/features/resources/core/searchIndex';
import { ResourcePool } from '../../src/features/resources/findResource';
import type { ServerConnection } from '../../src/host';
import { absolute, type BenchRow, relative } from './row';
import { HostClient } from './wire/hostClient';
import { RawClient, wireServer } from './wire/rawClient';

const rounds = 5;
const resources = 100_000;
const pageSize = 100;

export async function* rows(): AsyncGenerator<BenchRow> {
  const measured: Record<string, number[]> = { first: [], listed: [], searched: [], heap: [], floor: [], plain: [] };
  for (let round = -1; round < rounds; round++) {
    const values = { ...(await ours()), ...(await floor()) };
    // The first round compiles.
    if (round >= 0) for (const [name, value] of Object.entries(values)) measured[name]?.push(value);
  }
  const { first = [], listed = [], searched = [], heap = [], floor: raw = [], plain = [] } = measured;
  yield absolute('100k resources: first rows of the tree, after the first page', first, 'ms', 100);
  yield relative('100k resources: all listed', listed, 'ms', raw, 2.0);
  yield relative('100k resources: all listed, and one found', searched, 'ms', plain, 2.2);
  yield absolute('100k resources: heap kept', heap, 'MB', 40);
  const deep = several(() => foldersOf(i => `demo://r/${i % 10}/${i % 1_000}/part-${i % 7}/item-${i}.md`));
  yield absolute('100k resources: folders, of a deep tree', deep, 'ms', 800);
  const flat = several(() => foldersOf(i => `demo://r/${(i * 7_919) % resources}`));
  yield absolute('100k resources: folders, of one long list', flat, 'ms', 800);
  yield absolute('100k resources: search, the slowest key', several(slowestKey), 'ms', 100);
}

async function ours(): Promise<Record<'first' | 'listed' | 'searched' | 'heap', number>> {
  gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  let first: number | undefined;
  const client = await HostClient.start([wireServer, '--resources'], server => {
    first ??= firstRows(server);
  });
  const { server } = client;
  try {
    // What is listed at first, unasked, is waited for: 1,000 of them.
    await until(server, () => server.catalog.list('resources').status === 'ready');
    const start = performance.now();
    await server.catalog.loadAllPages('resources');
    const listed = performance.now() - start;
    if (server.catalog.resources.length !== resources)
      throw new Error(`${server.catalog.resources.length} were listed`);
    search(server);
    const searched = performance.now() - start;
    // The search's index goes with its box; the list stays.
    gc?.();
    const heap = (process.memoryUsage().heapUsed - heapBefore) / 1e6;
    if (first === undefined) throw new Error('there were no first rows');
    return { first, listed, searched, heap };
  } finally {
    await client.close();
  }
}

function several(measure: () => number): number[] {
  measure(); // compiles
  return Array.from({ length: rounds }, measure);
}

/** Milliseconds that the folders of that many resources take. */
function foldersOf(uriOf: (i: number) => string): number {
  const all = Array.from({ length: resources }, (_, i) => ({ uri: uriOf(i), name: uriOf(i) }));
  const start = performance.now();
  folderTree(all);
  return performance.now() - start;
}

/** Milliseconds that the slowest of some keys takes. */
function slowestKey(): number {
  const index = new SearchIndex<number>();
  for (let n = 0; n < resources; n++)
    index.add(n, {
      label: `report budget ${n}`,
      others: [`report-${n}.md`, `store://company/notes/${n % 97}/${n}.md`],
    });
  const keys = ['r', 're', 'rep', 'rep 9', 'q', 'rmd', 'rmd9', 'store notes'];
  return Math.max(
    ...keys.map(key => {
      const start = performance.now();
      index.search(key, 200);
      return performance.now() - start;
    }),
  );
}

/** As "Find Resource…" does. */
function search(server: ServerConnection): void {
  const pool = new ResourcePool();
  pool.update([server]);
  const [found] = pool.search('resource-99999', 100);
  if (found?.resource.name !== 'resource-99999.txt') throw new Error('what is last was not found');
}

/** Milliseconds from the server's answer to the tree's first rows; undefined as long as nothing is listed. */
function firstRows({ catalog }: ServerConnection): number | undefined {
  const [resource] = catalog.resources;
  if (!resource) return undefined;
  const { folders, resources: rows } = folderTree(catalog.resources);
  if (!(rows[0] ?? folders[0])) return undefined;
  return Date.now() - Number(resource.description);
}

/** The pages that remain after the first ten; then, what a search for a part of a name or URI takes without an index. */
async function floor(): Promise<Record<'floor' | 'plain', number>> {
  const client = new RawClient('--resources');
  try {
    const all: { name: string; uri: string }[] = [];
    let cursor: string | undefined = String(1_000 / pageSize);
    await client.call('echo', { text: 'awake' });
    const start = performance.now();
    while (cursor !== undefined) {
      const page = (await client.request('resources/list', { cursor })) as {
        resources: typeof all;
        nextCursor?: string;
      };
      for (const resource of page.resources) all.push(resource);
      cursor = page.nextCursor;
    }
    const listed = performance.now() - start;
    if (all.length !== resources - 1_000) throw new Error(`${all.length} were listed by hand`);
    const found = all.find(({ name, uri }) => `${name}\n${uri}`.toLowerCase().includes('resource-99999'));
    if (!found) throw new Error('what is last was not found by hand');
    return { floor: listed, plain: performance.now() - start };
  } finally {
    await client.close();
  }
}

async function until(server: ServerConnection, isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  await new Promise<void>(resolve => {
    const listener = server.catalog.onDidChange(() => {
      if (!isSo()) return;
      listener.dispose();
      resolve();
    });
  });
}

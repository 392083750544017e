// A server that lists 100,000 resources in 1,000 pages: when the first rows of the tree are there, how long it takes until
// all are listed and searched, against JSON lines by hand that only collect them, and how much memory they keep.

import { folderTree } from '../../src/features/resources/core/folders';
import { ResourcePool } from '../../src/features/resources/find/resourcePool';
import type { ServerConnection } from '../../src/host';
import { absolute, type BenchRow, relative } from '../setup/benchRow';
import { HostClient } from './wire/hostClient';
import { RawClient, wireServer } from './wire/rawClient';

const rounds = 5;
const resources = 100_000;
const pageSize = 100;

export async function* rows(): AsyncGenerator<BenchRow> {
  const measured = { first: [], listed: [], searched: [], heap: [], floor: [] } as Record<string, number[]>;
  for (let round = -1; round < rounds; round++) {
    const values = { ...(await ours()), floor: await floor() };
    // The first round compiles.
    if (round >= 0) for (const [name, value] of Object.entries(values)) measured[name]?.push(value);
  }
  const { first = [], listed = [], searched = [], heap = [], floor: raw = [] } = measured;
  yield absolute('100k resources: first rows of the tree, after the first page', first, 'ms', 100);
  yield relative('100k resources: all listed', listed, 'ms', raw, 2.0);
  yield relative('100k resources: all listed, and one found', searched, 'ms', raw, 2.0);
  yield absolute('100k resources: heap kept', heap, 'MB', 40);
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

/** The pages that remain after the first ten. */
async function floor(): Promise<number> {
  const client = new RawClient('--resources');
  try {
    const all: unknown[] = [];
    let cursor: string | undefined = String(1_000 / pageSize);
    await client.call('echo', { text: 'awake' });
    const start = performance.now();
    while (cursor !== undefined) {
      const page = (await client.request('resources/list', { cursor })) as {
        resources: unknown[];
        nextCursor?: string;
      };
      for (const resource of page.resources) all.push(resource);
      cursor = page.nextCursor;
    }
    const tookMs = performance.now() - start;
    if (all.length !== resources - 1_000) throw new Error(`${all.length} were listed by hand`);
    return tookMs;
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

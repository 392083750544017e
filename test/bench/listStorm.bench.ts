// 1,000 list_changed within a second, while a tool is added each 100 ms: how often the list is asked for again, and
// whether what is shown in the end is what the server has then.
import { setTimeout } from 'node:timers/promises';
import { fixturePath } from '../servers/spawn';
import { absolute, type BenchRow } from './row';
import { HostClient } from './wire/hostClient';

const rounds = 2;
const lastTool = 'paced-10';
/** The last change is listed 2 s after it at the latest; more re-lists would come within this. */
const quietMs = 3_000;
const limitMs = 15_000;

export async function* rows(): AsyncGenerator<BenchRow> {
  const counts: number[] = [];
  for (let round = 0; round < rounds; round++) counts.push(await relists());
  yield absolute('list storm: re-lists after 1,000 list_changed in 1 s', counts, 'times', 4);
}

async function relists(): Promise<number> {
  let lists = 0;
  let last: unknown;
  const client = await HostClient.start([fixturePath('hostile'), '--paced-storm=1000'], ({ catalog }) => {
    const list = catalog.list('tools');
    if (list.status === 'loading' && list !== last) lists++;
    last = list;
  });
  try {
    const end = performance.now() + limitMs;
    const isLast = () => client.server.catalog.tools.some(({ name }) => name === lastTool);
    while (!isLast()) {
      if (performance.now() > end) throw new Error(`${lastTool} was not listed within ${limitMs} ms`);
      await setTimeout(20);
    }
    await setTimeout(quietMs);
    // The first list is not one again.
    return lists - 1;
  } finally {
    await client.close();
  }
}

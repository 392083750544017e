import assert from 'node:assert/strict';
import { type ClientReading, OTHERS, readByHost } from './deviantServers';
import { type Deviation, deviations, RECORDED, stringsIn } from './deviations';
import { announce, casesOf, holds } from './fuzz';

const AT_ONCE = 500;

/** Texts of an answer that are not in what was read. */
function lostIn({ texts }: Deviation, read: unknown): string[] {
  const all = [...stringsIn(read)].join('\n');
  // Text that became part of JSON has its quotes escaped there.
  return texts.filter(text => !all.includes(text) && !all.includes(JSON.stringify(text).slice(1, -1)));
}

describe('fuzz: what servers really send', () => {
  before(announce);

  it('begins with valid answers of ten servers, in which nothing is noted or lost', async () => {
    assert.equal(new Set(RECORDED.map(({ server }) => server)).size, 10);
    for (const { method, result } of RECORDED) {
      const notes: unknown[] = [];
      const body = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });
      await readByHost({ method, result, body, type: '', texts: [] }, (...note) => notes.push(note));
      assert.deepEqual(notes, [], method);
    }
  });

  holds(
    'loses nothing of the result of a tool, and notes what it loses of other answers that have odd parts',
    'deviations',
    deviations,
    async deviation => {
      const notes: unknown[] = [];
      const lost = lostIn(deviation, await readByHost(deviation, (...note) => notes.push(note)));
      // What a tool has done is never lost.
      if (notes.length === 0 || deviation.method === 'tools/call')
        assert.deepEqual(lost, [], `${deviation.method} ${JSON.stringify(deviation.result)}`);
    },
  );

  it('reaches a person more often than through other clients', async function () {
    const cases = casesOf('deviations', deviations);
    this.timeout(60_000 + cases.length * 500);
    const whole: Record<string, number> = {};
    for (const [name, reading] of Object.entries({ ours: readByHost as ClientReading, ...OTHERS })) {
      const isWhole = async (deviation: Deviation) => {
        const read = await reading(deviation).catch(() => undefined);
        return read !== undefined && lostIn(deviation, read).length === 0;
      };
      whole[name] = 0;
      // Together, as a client waits until its limit for an answer that it drops.
      for (let at = 0; at < cases.length; at += AT_ONCE)
        for (const good of await Promise.all(cases.slice(at, at + AT_ONCE).map(isWhole))) whole[name] += Number(good);
    }
    console.log(`    of ${cases.length} deviations: ${JSON.stringify(whole)}`);
    const { ours = 0, ...others } = whole;
    // Lost is what stands where no text belongs, such as an address among several values.
    assert.ok(ours >= 0.98 * cases.length, `${ours} of ${cases.length}`);
    for (const [name, count] of Object.entries(others)) assert.ok(count < ours && count > 0, name);
  });
});

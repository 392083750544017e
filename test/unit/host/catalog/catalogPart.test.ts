import assert from 'node:assert/strict';
import { CatalogPart } from '../../../../src/host/catalog/catalogPart';
import { Clock } from '../../clock';

describe('a list that its server says has changed', () => {
  const clock = new Clock();
  beforeEach(() => clock.start());
  afterEach(() => clock.stop());

  it('is asked for again at once when it is short, and after a while when it has megabytes @catalogPart.pause-of-megabytes', async () => {
    const asked = async (length: number) => {
      let [times, count] = [0, 0];
      const request = async () => {
        times++;
        const tool = { name: `t${count++}`, description: 'x'.repeat(length), inputSchema: { type: 'object' } };
        return { items: [tool], nextCursor: undefined } as never;
      };
      const part = new CatalogPart('tools', { request, announces: () => true, leftOut: () => {} }, () => {});
      await part.load();
      part.invalidate();
      await clock.pass(1_000);
      const soon = times;
      await clock.pass(3_000);
      return [soon, times];
    };
    assert.deepEqual(await asked(1_000), [2, 2]);
    assert.deepEqual(await asked(10_000_000), [1, 2]);
  });
});

import assert from 'node:assert/strict';
import { boundedItem } from '../../../src/gateway/itemsForModels';

describe('an item of a list for a client that draws it', () => {
  it('has titles and descriptions that are read in no time, and is always the same object', () => {
    const long = 'a'.repeat(100_000);
    const item = {
      name: 'x',
      title: long,
      description: long,
      annotations: { title: long, readOnlyHint: true },
      arguments: [{ name: 'y', description: long }, null, ...Array.from({ length: 200 }, () => ({ name: 'z' }))],
      inputSchema: { type: 'object', description: long },
    };
    const { title, description, annotations, arguments: args, inputSchema } = boundedItem(item);
    assert.deepEqual([title.length, description.length, annotations.title.length], [200, 8_000, 200]);
    assert.ok(title.endsWith('a…') && annotations.readOnlyHint);
    assert.deepEqual([args.length, Object(args[0]).description.length, args[1]], [100, 8_000, null]);
    assert.equal(inputSchema, item.inputSchema);
    assert.equal(boundedItem(item), boundedItem(item));
    const short = { name: 'x', description: 'short' };
    assert.deepEqual(boundedItem(short), short);
  });
});

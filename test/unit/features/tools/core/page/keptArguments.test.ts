import assert from 'node:assert/strict';
import { keptArguments, readKeptArguments } from '../../../../../../src/features/tools/core/page/keptArguments';

const kept = (args: Record<string, unknown>) =>
  readKeptArguments(keptArguments(args, text => text.replaceAll('hunter2', '•••')));

describe('arguments that a page keeps over a reload', () => {
  it('are all that were typed', () => {
    const args = { city: 'Paris', days: 3, where: { street: 'Rue' }, kinds: ['rain'] };
    assert.deepEqual(kept(args), args);
  });

  it('lack secrets, which are recognized by name, by form and as secrets of the server', () => {
    const args = { city: 'Paris', password: 'x', nested: { apiKey: 'y', note: 'the hunter2 one' } };
    assert.deepEqual(kept({ ...args, text: `ghp_${'a1B2'.repeat(9)}` }), { city: 'Paris', nested: {} });
  });

  it('are none when they are too long or spoiled', () => {
    assert.equal(
      keptArguments({ text: 'x'.repeat(70_000) }, text => text),
      undefined,
    );
    for (const spoiled of [undefined, 'text', '[]', 'null', 7]) assert.equal(readKeptArguments(spoiled), undefined);
  });
});

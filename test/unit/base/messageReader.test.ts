import assert from 'node:assert/strict';
import { count, counts, flag, messageReader, oneOf, text } from '../../../src/base/messageReader';

describe('a reader of messages', () => {
  const read = messageReader({
    ready: {},
    set: { name: text, at: count, among: counts, isLast: flag, side: oneOf('left', 'right') },
  });
  const set = { type: 'set', name: 'a', at: 1, among: [0, 2], isLast: true, side: 'left' };

  it('returns a message of a known shape without its other members', () => {
    assert.deepEqual(read({ type: 'ready', more: 1 }), { type: 'ready' });
    assert.deepEqual(read({ ...set, more: 1 }), set);
    assert.deepEqual(read({ ...set, isLast: 'yes' }), { ...set, isLast: false });
  });

  it('refuses unknown types and members of the wrong kind', () => {
    const wrong = [undefined, null, 'ready', [], {}, { type: 'constructor' }, { type: ['ready'] }, { type: 'set' }];
    const members = { name: 1, at: -1, among: [1.5], side: 'toString' };
    const changed = Object.entries(members).map(([name, value]) => ({ ...set, [name]: value }));
    for (const value of [...wrong, ...changed]) assert.equal(read(value), undefined, JSON.stringify(value));
  });
});

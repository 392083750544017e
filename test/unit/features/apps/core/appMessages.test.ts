import assert from 'node:assert/strict';
import { fromAppPage } from '../../../../../src/features/apps/core/appMessages';

describe('messages from the page around an app', () => {
  it('are accepted in their known shapes only', () => {
    const surroundings = { theme: 'dark', variables: {}, width: 1, height: 2, touch: false, hover: true };
    for (const message of [
      { type: 'ready', surroundings },
      { type: 'surroundings', surroundings },
      { type: 'message', text: '{}', isUsed: true, gesture: 3 },
      { type: 'gone', why: 'flood' },
      { type: 'act', name: 'clear' },
    ])
      assert.deepEqual(fromAppPage(message), message);
    // Only what the browser says of the person counts.
    for (const isUsed of [undefined, 'yes', 1])
      assert.deepEqual(fromAppPage({ type: 'message', text: '', isUsed, gesture: 0 }), {
        type: 'message',
        text: '',
        isUsed: false,
        gesture: 0,
      });
    for (const other of [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 'ready' },
      { type: 'ready', surroundings: { ...surroundings, theme: 'pink' } },
      { type: 'ready', surroundings: { ...surroundings, variables: 'all' } },
      { type: 'message', text: {}, gesture: 0 },
      { type: 'message', text: '{}' },
      { type: 'message', text: '{}', gesture: -1 },
      { type: 'gone', why: 'bored' },
      { type: 'act', name: 7 },
    ])
      assert.equal(fromAppPage(other), undefined, JSON.stringify(other));
  });
});

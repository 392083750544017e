import assert from 'node:assert/strict';
import { fromAppPage } from '../../../../../src/features/apps/core/appMessages';

describe('what the page around an app says', () => {
  it('is read, and everything else is not', () => {
    const surroundings = { theme: 'dark', variables: {}, width: 1, height: 2, touch: false, hover: true };
    for (const message of [
      { type: 'ready', surroundings },
      { type: 'surroundings', surroundings },
      { type: 'message', text: '{}' },
      { type: 'gone', why: 'flood' },
      { type: 'act', name: 'clear' },
    ])
      assert.deepEqual(fromAppPage(message), message);
    for (const other of [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 'ready' },
      { type: 'ready', surroundings: { ...surroundings, theme: 'pink' } },
      { type: 'ready', surroundings: { ...surroundings, variables: 'all' } },
      { type: 'message', text: {} },
      { type: 'gone', why: 'bored' },
      { type: 'act', name: 7 },
    ])
      assert.equal(fromAppPage(other), undefined, JSON.stringify(other));
  });
});

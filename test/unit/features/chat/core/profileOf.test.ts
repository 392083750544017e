import * as assert from 'node:assert/strict';
import { CheckedTools, profileOf } from '../../../../../src/features/chat/core/checkedTools';

describe('profileOf', () => {
  const rows = ['notes', 'web'].flatMap(server => [
    { server, tokens: 2 },
    { server, key: `${server}\nread`, tokens: 1 },
    { server, key: `${server}\nwrite`, tokens: 1 },
  ]);
  const profile = (...checked: string[]) => profileOf(rows, new CheckedTools(rows, key => checked.includes(key)));

  it('names a server all of whose tools are checked, and the checked tools of others', () => {
    const checked = ['notes\nread', 'notes\nwrite', 'web\nread'];
    assert.deepEqual(profile(...checked), { servers: ['notes'], tools: ['web/read'] });
    assert.deepEqual(profile('web\nwrite'), { tools: ['web/write'] });
    assert.deepEqual(profile(), {});
  });
});

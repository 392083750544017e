import assert from 'node:assert/strict';
import { pagePolicy } from '../../../src/editor/pagePolicy';

describe('the policy of a page', () => {
  const directives = (policy: string) => Object.fromEntries(policy.split('; ').map(one => one.split(/ (.*)/)));

  it('lets it load our styles and script only, and draw and play only what its script was sent @pagePolicy.loads-only-ours', () => {
    const own = { 'default-src': "'none'", 'style-src': 'https://files.example', 'script-src': "'nonce-abc'" };
    const policy = (media: object) => directives(pagePolicy('https://files.example', 'abc', media));
    assert.partialDeepStrictEqual(policy({}), own);
    assert.ok(!('img-src' in policy({})) && !('media-src' in policy({ pictures: true })));
    assert.partialDeepStrictEqual(policy({ pictures: true }), { ...own, 'img-src': 'blob:' });
    assert.partialDeepStrictEqual(policy({ media: true }), { ...own, 'img-src': 'blob:', 'media-src': 'blob:' });
  });
});

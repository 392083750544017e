import assert from 'node:assert/strict';
import { type Allowance, writeWishes } from '../../../../../src/features/sandbox/core/refusals';

describe('what a server wants to write', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
  });
  const refused = (what: string, allowances: readonly Allowance[], more: object = {}) => ({
    attempt: { kind: 'write' as const, what },
    isKept: false,
    allowances,
    ...more,
  });

  it('is one wish for each folder, or for a file where only that can be allowed', () => {
    const wishes = writeWishes([
      refused('/w/src/a', ['folder']),
      refused('/w/package.json', ['this']),
      refused('/w/src/b', ['this', 'folder']),
    ]);
    assert.deepEqual(
      wishes.map(({ path, isFolder, attempts }) => [path, isFolder, attempts.map(({ what }) => what)]),
      [
        ['/w/src', true, ['/w/src/a', '/w/src/b']],
        ['/w/package.json', false, ['/w/package.json']],
      ],
    );
  });

  it('is nothing that stays blocked, can not be allowed, or is read', () => {
    const read = refused('/w/c', ['this'], { attempt: { kind: 'read', what: '/w/c' } });
    assert.deepEqual(writeWishes([refused('/w/a', ['folder'], { isKept: true }), refused('/w/b', []), read]), []);
  });
});

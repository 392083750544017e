import assert from 'node:assert/strict';
import { waysBack } from '../../../../../src/features/auth/core/waysBack';

describe('the way back from the browser', () => {
  it('is a port of this machine where the browser is on it, and no scheme that any program can claim', () => {
    assert.deepEqual(waysBack(false), ['loopback']);
  });

  it('leads through the editor first where the browser is on another machine', () => {
    assert.deepEqual(waysBack(true), ['editor', 'loopback']);
  });
});

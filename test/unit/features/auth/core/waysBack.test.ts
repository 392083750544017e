import assert from 'node:assert/strict';
import { waysBack } from '../../../../../src/features/auth/core/clientMetadata';

describe('waysBack', () => {
  it('is only a loopback port when the browser is on this machine: any program can claim a scheme @waysBack.loopback-port-browser', () => {
    assert.deepEqual(waysBack(false), ['loopback']);
  });

  it("begins with the editor's own address when the browser is on another machine @waysBack.begins-editor-address", () => {
    assert.deepEqual(waysBack(true), ['editor', 'loopback']);
  });
});

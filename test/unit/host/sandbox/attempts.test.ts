import assert from 'node:assert/strict';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';

describe('what a confined server says of refused files', () => {
  it('is looked up for a bounded number of paths', () => {
    const attempts = new SandboxAttempts();
    const looked = new Set<string>();
    attempts.hides = path => looked.add(path).size < 0;
    const lines = Array.from({ length: 20_000 }, (_, n) => `EACCES: permission denied, open '/a/${n}'`);
    for (const line of lines) attempts.said(line);
    assert.ok(looked.has('/a/0') && looked.size < 2_000, String(looked.size));
  });
});

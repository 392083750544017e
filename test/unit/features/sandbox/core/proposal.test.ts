import assert from 'node:assert/strict';
import { widened } from '../../../../../src/features/sandbox/core/proposal';

describe('the policy that is proposed after something was blocked', () => {
  const here = { home: '/home/me', roots: ['${workspaceFolder}'] };
  const host = { kind: 'network', what: 'api.example.com' } as const;
  const file = { kind: 'write', what: '/home/me/.cache/x/a.json' } as const;

  it('has what was there, and just what is needed in addition', () => {
    assert.deepEqual(widened(true, host, here), { network: ['api.example.com'] });
    assert.deepEqual(widened({ network: ['a.com'], env: ['A'] }, host, here), {
      network: ['a.com', 'api.example.com'],
      env: ['A'],
    });
    assert.deepEqual(widened({ network: ['api.example.com'] }, host, here), { network: ['api.example.com'] });
  });

  it('keeps the roots that may be changed without being named', () => {
    assert.deepEqual(widened(undefined, file, here), { write: ['${workspaceFolder}', '~/.cache/x/a.json'] });
    assert.deepEqual(widened({ write: [] }, file, here, true), { write: ['~/.cache/x'] });
    const elsewhere = { kind: 'write', what: '/home/meow/a' } as const;
    assert.deepEqual(widened({ write: ['/srv'] }, elsewhere, here, true), { write: ['/srv', '/home/meow'] });
  });
});

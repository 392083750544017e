import assert from 'node:assert/strict';
import { pinEntry } from '../../../../../src/features/supply/core/pinEntry';

const pin = (text: string, versions: Record<string, string>, name = 'a') =>
  pinEntry(text, name, new Map(Object.entries(versions)), {});

describe('pinning a package in settings', () => {
  it('changes only its word, whatever surrounds it', () => {
    const text = `{
  // mine
  "mcpHost.servers": {
    "b": { "command": "npx", "args": ["x"] },
    "a": {
      "command": "npx", // runs it
      "args": ["-y", "@s/x@latest", /* where */ "\${workspaceFolder}", "@s/x"],
    },
  },
}`;
    assert.equal(pin(text, { '@s/x': '1.2.3' }), text.replace('@s/x@latest', '@s/x@1.2.3'));
  });

  it('pins several packages, and several in one script', () => {
    const text = '{"mcpHost":{"servers":{"a":{"command":"sh","args":["-c","npx -p x -p yy z"]}}}}';
    assert.equal(pin(text, { x: '1.0.0', yy: '2.0.0' }), text.replace('-p x -p yy', '-p x@1.0.0 -p yy@2.0.0'));
  });

  it('leaves alone what is pinned, a variable, missing or broken', () => {
    const entry = (command: unknown, args?: unknown) => JSON.stringify({ 'mcpHost.servers': { a: { command, args } } });
    for (const text of [
      entry('npx', ['x@1.0.0']),
      entry('npx', ['${env:PACKAGE}']),
      entry('npx', 'x'),
      entry(5, ['x']),
      entry('npx', [{ x: 1 }]),
      '{"mcpHost.servers":{"b":{}}}',
      '{"mcpHost.servers":',
      '{"mcpHost.servers":{"a":7}}',
      '',
    ])
      assert.equal(pin(text, { x: '1.2.3' }), undefined, text);
    assert.equal(pin(entry('npx', ['x']), { y: '1.0.0' }), undefined);
  });
});

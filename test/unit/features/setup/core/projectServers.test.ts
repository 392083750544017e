import assert from 'node:assert/strict';
import { projectServers } from '../../../../../src/features/setup/core/projectServers';

describe("a project's .mcp.json", () => {
  it('has comments, variables of the environment, inputs, and fields that are ours', () => {
    const text = `\ufeff{ // for all
      "mcpServers": {
        "a": { "type": "stdio", "command": "x", "env": { "T": "\${TOKEN:-none}" }, "sandbox": true, "theirs": 1 },
        "b": { "type": "http", "url": "https://x.example/mcp", "headers": { "A": "\${input:key}" }, "disabled": true },
        "odd": 7,
      } }`;
    const { value, inputs } = projectServers(text)!;
    assert.deepEqual(value, {
      a: { sandbox: true, command: 'x', env: { T: '${env:TOKEN:-none}' } },
      b: { type: 'http', url: 'https://x.example/mcp', headers: { A: '${input:key}' }, enabled: false },
      odd: 7,
    });
    assert.deepEqual(inputs, [{ type: 'promptString', id: 'key', description: 'key', password: true }]);
  });

  it('is none while it cannot be read, and empty without servers', () => {
    for (const text of ['', '{', '[]', '7', '{ "mcpServers": { "a": { }'])
      assert.equal(projectServers(text), undefined, text);
    for (const text of ['{}', '{ "mcpServers": [] }']) assert.deepEqual(projectServers(text)?.value, {}, text);
  });
});

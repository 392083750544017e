import assert from 'node:assert/strict';
import { readContent, readPasted } from '../../../../../src/features/setup/core/readText';

describe('readPasted', () => {
  const names = (text: string) => readPasted(text).map(({ name }) => name);

  it('accepts a whole file, a part of one, or a fenced block', () => {
    assert.deepEqual(names('{ "mcpServers": { "a": { "command": "npx", "args": ["x"] } } }'), ['a']);
    assert.deepEqual(names('"mcpServers": { "a": { "command": "npx" } },'), ['a']);
    assert.deepEqual(names('"a": { "command": "npx" }, "b": { "url": "https://b.example/mcp" }'), ['a', 'b']);
    assert.deepEqual(names('{ "command": "npx", "args": ["-y", "@scope/mcp-server-time@1.2"] }'), ['time']);
    assert.deepEqual(names('{ "url": "https://mcp.example.com/mcp" }'), ['example']);
    assert.deepEqual(names('Add this:\n```json\n{ "servers": { "c": { "command": "x" } } }\n```\nand restart.'), ['c']);
    assert.deepEqual(names('context_servers:\n'), []);
    assert.deepEqual(names('mcpServers:\n  - name: d\n    command: x\n'), ['d']);
    assert.deepEqual(names('"mcp": { "servers": { "e": { "command": "x" } } }'), ['e']);
    assert.deepEqual(names('"mcpHost.servers": { "f": { "command": "x" } }'), ['f']);
  });

  it('finds nothing in other text', () => {
    for (const text of ['', 'npm install x', '{', '[1, 2]', '{"a": {"b": 1}}', '# heading', 'a: &a [*a]'])
      assert.deepEqual(readPasted(text), [], text);
  });

  it('reads a text once, and skips one that is too large', function () {
    this.timeout(60_000);
    // Half a minute with a search from every line break, and it grows with the square.
    assert.deepEqual(names(`\`\`\`${'\n'.repeat(500_000)}`), []);
    const server = '{ "a": { "command": "npx" } }';
    assert.deepEqual([names(server), names(server + ' '.repeat(1024 * 1024))], [['a'], []]);
  });

  it('reads ${NAME} as an environment variable, and VS Code inputs as inputs', () => {
    const [draft] = readPasted('{ "a": { "command": "x", "env": { "T": "${T}" } } }');
    assert.deepEqual(draft?.entry.env, { T: '${env:T}' });
    const [input] = readPasted('{ "servers": { "a": { "command": "x", "env": { "T": "${input:t}" } } } }');
    assert.equal(input?.inputs[0]?.id, 't');
  });

  it('reports the line of a syntax error without quoting the text', () => {
    assert.throws(() => readContent('{\n  "a": "ghp_secret" oops\n}'), /in line 2$/);
    assert.throws(
      () => readContent('a: "secret\nb: [', 'x.yaml'),
      (error: Error) => !error.message.includes('secret'),
    );
  });
});

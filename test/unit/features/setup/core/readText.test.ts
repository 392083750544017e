import assert from 'node:assert/strict';
import { readContent, readPasted } from '../../../../../src/features/setup/core/readText';

describe('what people paste', () => {
  const names = (text: string) => readPasted(text).map(({ name }) => name);

  it('is a whole file, a part of one, or what stands in a fence', () => {
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

  it('is nothing when it is something else', () => {
    for (const text of ['', 'npm install x', '{', '[1, 2]', '{"a": {"b": 1}}', '# heading', 'a: &a [*a]'])
      assert.deepEqual(readPasted(text), [], text);
  });

  it('is looked at once, and not at all when nobody would paste so much', function () {
    this.timeout(60_000);
    // Half a minute with a search from every line break, and it grows with the square.
    assert.deepEqual(names(`\`\`\`${'\n'.repeat(500_000)}`), []);
    const server = '{ "a": { "command": "npx" } }';
    assert.deepEqual([names(server), names(server + ' '.repeat(1024 * 1024))], [['a'], []]);
  });

  it('has ${NAME} as a variable of the environment, and VS Code inputs as such', () => {
    const [draft] = readPasted('{ "a": { "command": "x", "env": { "T": "${T}" } } }');
    assert.deepEqual(draft?.entry.env, { T: '${env:T}' });
    const [input] = readPasted('{ "servers": { "a": { "command": "x", "env": { "T": "${input:t}" } } } }');
    assert.equal(input?.inputs[0]?.id, 't');
  });

  it('that is broken says the line, and nothing of the text', () => {
    assert.throws(() => readContent('{\n  "a": "ghp_secret" oops\n}'), /in line 2$/);
    assert.throws(
      () => readContent('a: "secret\nb: [', 'x.yaml'),
      (error: Error) => !error.message.includes('secret'),
    );
  });
});

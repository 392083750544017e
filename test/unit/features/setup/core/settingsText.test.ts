import assert from 'node:assert/strict';
import { applyEdits, parse } from 'jsonc-parser';
import { addToSettings } from '../../../../../src/features/setup/core/settingsText';

const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });

describe('addToSettings', () => {
  const addition = { servers: { b: { command: 'npx' } }, inputs: [prompt('t')] };
  const after = (text: string, options = {}) => {
    const edit = addToSettings(text, addition, options);
    return edit && applyEdits(text, [edit]);
  };

  it('leaves comments, formatting and everything else as it is', () => {
    const text = `{
    // how I like it
    "editor.tabSize": 4, /* really */
    "mcpHost.servers": {
        // the first one
        "a": { "command": "one" }, // stays on its line
    },
}
`;
    const changed = after(text)!;
    for (const line of text.split('\n').filter(line => /\S/.test(line) && !/^[\s{},]*$/.test(line)))
      assert.ok(changed.includes(line.trim()), `${line} in\n${changed}`);
    assert.ok(changed.includes('        "b": {\n            "command": "npx"'), changed);
    const value = parse(changed, [], { allowTrailingComma: true });
    assert.deepEqual(Object.keys(value['mcpHost.servers']), ['a', 'b']);
    assert.deepEqual(value['mcpHost.inputs'], addition.inputs);
  });

  it('leaves a file alone that is nested too deeply to be read', () => {
    assert.equal(after(`{ "a": ${'['.repeat(10_000)}${']'.repeat(10_000)} }`), undefined);
  });

  it('adds missing settings, also to an empty file, with its line ends', () => {
    for (const text of ['', '{}', '{ "a": 1 }', '// nothing\n{\n}\n']) {
      const value = parse(after(text)!, [], { allowTrailingComma: true });
      assert.deepEqual(value['mcpHost.servers'], addition.servers, text);
    }
    assert.ok(!/(?<!\r)\n/.test(after('{\r\n  "a": 1\r\n}')!));
  });

  it('writes below "settings" of a .code-workspace, and beside a nested setting', () => {
    const workspace = parse(after('{ "folders": [], "settings": {} }', { codeWorkspace: true })!);
    assert.deepEqual(workspace.settings['mcpHost.servers'], addition.servers);
    const nested = parse(after('{ "mcpHost": { "servers": { "a": {} } } }')!);
    assert.deepEqual(Object.keys(nested.mcpHost.servers), ['a', 'b']);
    assert.deepEqual(nested.mcpHost.inputs, addition.inputs);
  });

  it('is undefined when the file is broken, or a setting has the wrong type', () => {
    for (const text of ['{ "a": ', '{ "mcpHost.servers": [] }', '{ "mcpHost.inputs": {} }', '{ oops }'])
      assert.equal(after(text), undefined, text);
  });
});

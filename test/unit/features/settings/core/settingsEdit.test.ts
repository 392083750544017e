import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import {
  duplicateEntry,
  isReadable,
  isWrittenByEditor,
  removeEntry,
  renameEntry,
  setEnabled,
  settingsValues,
  takeBack,
} from '../../../../../src/features/settings/core/settingsEdit';

const lines = (...text: string[]) => text.join('\n');

/** With comments in every place where there may be one. */
const SETTINGS = lines(
  '// the file',
  '{',
  '  "editor.tabSize": 2, // of the editor',
  '  "mcpHost.servers": {',
  '    // about a',
  '    "a": {',
  '      "command": "x", // the program',
  '      "args": ["y"] // its arguments',
  '    }, // behind a',
  '    /* about b */',
  '    "b": { "url": "b" } /* behind b */,',
  '    // about c',
  '    "c": { "command": "z" } // behind c',
  '    // the end',
  '  }',
  '}',
  '',
);

const comments = (text: string) => text.match(/\/\/[^\r\n]*|\/\*.*?\*\//g) ?? [];
const serversIn = (text: string) => parse(text, [], { allowTrailingComma: true })['mcpHost.servers'];

/** The same text in other ways of writing. */
const STYLES: [name: string, text: string][] = [
  ['with comments', SETTINGS],
  ['with comments and a comma at the end', SETTINGS.replace('} // behind c', '}, // behind c')],
  ['with the line ends of Windows', SETTINGS.replaceAll('\n', '\r\n')],
  ['with tabs', SETTINGS.replaceAll('  ', '\t')],
  ['on one line', '{"mcpHost.servers":{"a":{"command":"x","args":["y"]},"b":{"url":"b"},"c":{"command":"z"}}}'],
  [
    'on one line with spaces',
    '{ "mcpHost.servers": { "a": { "command": "x" }, "b": { "url": "b" }, "c": { "command": "z" } } }',
  ],
];

describe('an entry in a settings file', () => {
  for (const [style, text] of STYLES) {
    for (const name of ['a', 'b', 'c']) {
      it(`${style}: "${name}" is removed, and nothing else with it`, () => {
        const removed = removeEntry(text, name, {})!;
        assert.ok(isReadable(removed), removed);
        const { [name]: _gone, ...others } = serversIn(text);
        assert.deepEqual(serversIn(removed), others);
        const inside = name === 'a' ? ['// the program', '// its arguments'] : [];
        assert.deepEqual(
          comments(removed),
          comments(text).filter(found => !inside.includes(found)),
        );
      });

      it(`${style}: "${name}" is renamed in its place`, () => {
        const renamed = renameEntry(text, name, 'new "name"', {})!;
        assert.equal(renamed, text.replace(`"${name}":`, '"new \\"name\\"":'));
      });

      it(`${style}: "${name}" is disabled, and enabled again as it was`, () => {
        const disabled = setEnabled(text, name, false, {})!;
        assert.deepEqual(serversIn(disabled), {
          ...serversIn(text),
          [name]: { ...serversIn(text)[name], enabled: false },
        });
        assert.deepEqual(comments(disabled), comments(text));
        assert.equal(setEnabled(disabled, name, true, {}), text);
      });

      it(`${style}: "${name}" is duplicated, disabled, next to it`, () => {
        const duplicated = duplicateEntry(text, name, 'copy', {})!;
        const all = serversIn(text);
        assert.deepEqual(serversIn(duplicated), { ...all, copy: { ...all[name], enabled: false } });
        const names = Object.keys(serversIn(duplicated));
        assert.equal(names.indexOf('copy'), names.indexOf(name) + 1);
        assert.equal(removeEntry(duplicated, 'copy', {}), text);
      });
    }
  }

  it('leaves no empty line behind when removed', () => {
    const text = lines('{', '  "mcpHost.servers": {', '    "a": {', '      "command": "x"', '    }', '  }', '}');
    assert.equal(removeEntry(text, 'a', {}), lines('{', '  "mcpHost.servers": {', '  }', '}'));
  });

  it('is found below "settings" of a workspace file, in a nested setting, and in pasted wrappers', () => {
    const inWorkspace = '{ "settings": { "mcpHost.servers": { "a": { "command": "x" } } } }';
    assert.equal(removeEntry(inWorkspace, 'a', { codeWorkspace: true }), '{ "settings": { "mcpHost.servers": { } } }');
    assert.equal(removeEntry(inWorkspace, 'a', {}), undefined);
    const nested = '{ "mcpHost": { "servers": { "a": 1, "b": 2 } } }';
    assert.equal(renameEntry(nested, 'b', 'c', {}), '{ "mcpHost": { "servers": { "a": 1, "c": 2 } } }');
    const pasted = '{ "mcpHost.servers": { "mcpServers": { "a": { "command": "x" } } } }';
    assert.match(setEnabled(pasted, 'a', false, {})!, /"x", "enabled": false/);
  });

  it("disabled by another host's word is enabled by removing that, and disabled in the same word", () => {
    const text = '{ "mcpHost.servers": { "a": { "command": "x", "disabled": true } } }';
    const enabled = '{ "mcpHost.servers": { "a": { "command": "x" } } }';
    assert.equal(setEnabled(text, 'a', true, {}), enabled);
    assert.equal(setEnabled(text.replace('true', 'false'), 'a', false, {}), text);
    assert.equal(
      setEnabled('{ "mcpHost.servers": { "a": { "enabled": true } } }', 'a', false, {}),
      '{ "mcpHost.servers": { "a": { "enabled": false } } }',
    );
  });

  it('is left alone when missing, or no object', () => {
    for (const text of [
      '',
      '{',
      '{ "mcpHost.servers": [] }',
      '{ "mcpHost.servers": { "b": {} } }',
      '{ "mcpHost.servers": { "a"',
    ]) {
      assert.equal(removeEntry(text, 'a', {}), undefined, text);
      assert.equal(duplicateEntry(text, 'a', 'b', {}), undefined, text);
    }
    assert.equal(setEnabled('{ "mcpHost.servers": { "a": 5 } }', 'a', false, {}), undefined);
  });
});

describe('takeBack', () => {
  const removed = removeEntry(SETTINGS, 'b', {})!;

  it('restores the exact text', () => assert.equal(takeBack(SETTINGS, removed, removed), SETTINGS));

  it('keeps later changes elsewhere, before and after it', () => {
    const retabbed = (text: string) =>
      text.replace('"editor.tabSize": 2', '"editor.tabSize": 8, "editor.wordWrap": "on"');
    assert.equal(takeBack(SETTINGS, removed, retabbed(removed)), retabbed(SETTINGS));
    const behind = (text: string) => text.replace('"z"', '"another program"');
    assert.equal(takeBack(SETTINGS, removed, behind(removed)), behind(SETTINGS));
  });

  it('refuses when the same place was changed since', () => {
    assert.equal(takeBack(SETTINGS, removed, '{}'), undefined);
    assert.equal(takeBack(SETTINGS, removed, removed.replace('/* behind b */', '"d": {},')), undefined);
  });
});

describe('settings that the editor can write as a whole', () => {
  const plain = lines(
    '{',
    '  // of the editor',
    '  "editor.tabSize": 2,',
    '  "mcpHost.servers": {',
    '    "a": {',
    '      "command": "x",',
    '      "args": [',
    '        "y"',
    '      ]',
    '    }',
    '  },',
    '  "mcpHost.inputs": []',
    '}',
    '',
  );

  it('are in its layout', () => {
    assert.equal(isWrittenByEditor(plain), true);
    assert.equal(isWrittenByEditor(plain.replaceAll('\n', '\r\n')), true);
    assert.equal(isWrittenByEditor('{}'), true);
  });

  it('have no comment and no layout of the person’s, and can be read', () => {
    const others = [
      plain.replace('"a"', '/* first */ "a"'),
      plain.replace('"x",', '"x", // the program'),
      plain.replace(/\[\s*"y"\s*\]/, '["y"]'),
      plain.replace('"mcpHost.inputs": []', '"mcpHost.inputs": []]'),
      plain.replace('"mcpHost.inputs": []', `"mcpHost.inputs": ${'['.repeat(10_000)}${']'.repeat(10_000)}`),
    ];
    assert.deepEqual(others.map(isWrittenByEditor), [false, false, false, false, false]);
    assert.deepEqual(settingsValues(others.at(-1)!), { servers: undefined, inputs: undefined });
  });

  it('have the values of whole keys alone', () => {
    assert.equal(JSON.stringify(settingsValues(plain)), '{"servers":{"a":{"command":"x","args":["y"]}},"inputs":[]}');
    assert.deepEqual(settingsValues('{ "mcpHost": { "servers": {} } }'), { servers: undefined, inputs: undefined });
  });
});

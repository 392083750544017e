import assert from 'node:assert/strict';
import { type LocateOptions, locate } from '../../../../../src/features/settings/core/locateSetting';
import { parseServers } from '../../../../../src/host/settings';

const SETTINGS = `{
  // "mcpHost.servers": { "files": {} }
  "editor.fontSize": 12,
  /* the servers */
  "mcpHost.servers": {
    "files": {
      "command": "npx", // a program
      "args": ["-y", 5, { "a": 1 }],
      "env": { "A.B": true },
    },
    "my.server": { "url": 7 },
    "": [],
  },
}`;

type Path = readonly (string | number)[];

/** The part of `text` that is found, with its line for context. */
function found(text: string, path: Path, options?: LocateOptions): string | undefined {
  const location = locate(text, path, options);
  return location && text.slice(location.offset, location.offset + location.length);
}

describe('the place of a setting in settings.json', () => {
  const cases: [path: Path, expected: string][] = [
    [[], '"mcpHost.servers"'],
    [['files'], '"files"'],
    [['files', 'command'], '"npx"'],
    [['files', 'args'], '"args"'],
    [['files', 'args', 1], '5'],
    [['files', 'args', 2], '{ "a": 1 }'],
    [['files', 'env', 'A.B'], 'true'],
    [['my.server', 'url'], '7'],
    [[''], '""'],
  ];
  for (const [path, expected] of cases) {
    it(`is found: ${JSON.stringify(path)}`, () => assert.equal(found(SETTINGS, path), expected));
  }

  const missing: [path: Path, expected: string][] = [
    [['none'], '"mcpHost.servers"'],
    [['files', 'url'], '"files"'],
    [['files', 'args', 9], '"args"'],
    [['files', 'command', 'deeper'], '"npx"'],
    [['files', 'args', 'x'], '"args"'],
    [['none', 'url', 3], '"mcpHost.servers"'],
    [['constructor'], '"mcpHost.servers"'],
    [['__proto__', 'x'], '"mcpHost.servers"'],
  ];
  for (const [path, expected] of missing) {
    it(`is the nearest surrounding one when there is no ${JSON.stringify(path)}`, () => {
      assert.equal(found(SETTINGS, path), expected);
      assert.equal(found(SETTINGS, path, { onKey: true }), expected);
    });
  }

  it('is the key on request', () => {
    assert.equal(found(SETTINGS, ['files', 'command'], { onKey: true }), '"command"');
    assert.equal(found(SETTINGS, ['files', 'args', 1], { onKey: true }), '5');
  });

  it('is exact with Windows line ends and multi-byte characters', () => {
    const text = `{\r\n  // 🚀é\r\n  "mcpHost.servers": {\r\n    "文件": { "command": 5 }\r\n  }\r\n}\r\n`;
    assert.equal(found(text, ['文件', 'command']), '5');
    assert.equal(found(text, ['文件']), '"文件"');
  });

  it('is undefined in a file without the setting', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      '5',
      'nonsense',
      '{"mcpHost": 5}',
      '// only a comment',
      '{"other": {"mcpHost.servers": {}}}',
    ]) {
      assert.equal(locate(text, ['files']), undefined, text);
    }
  });

  for (const text of [
    '{"mcpHost.servers": {"files": {"command": "npx", "args": ["-y", 5',
    '{"mcpHost.servers": {"files": {"args": ["-y" 5] "x": }}',
    '{"other": , "mcpHost.servers": {"files": {"args": ["-y", 5}}}',
    '\uFEFF{"mcpHost.servers": {"files": {"args": ["-y", 5]}}}',
  ]) {
    it(`is found in a broken file: ${text}`, () => {
      assert.equal(found(text, ['files', 'args', 1]), '5');
      assert.equal(found(text, ['files']), '"files"');
    });
  }

  it('is the key while the value is not typed yet', () => {
    assert.equal(found('{"mcpHost.servers": {"files": {"command": }}}', ['files', 'command']), '"command"');
    assert.equal(found('{"mcpHost.servers": }', ['files']), '"mcpHost.servers"');
  });

  it('is found when the setting is written nested', () => {
    assert.equal(found('{"mcpHost": {"servers": {"files": 5}}}', ['files']), '5');
  });

  it('is the last of equal keys, which the editor uses', () => {
    const text = '{"mcpHost.servers": {"a": 1}, "mcpHost.servers": {"a": 2, "a": 3}}';
    assert.equal(found(text, ['a']), '3');
  });

  it('is below "settings" in a workspace file', () => {
    const text = '{"folders": [], "settings": {"mcpHost.servers": {"a": 2}}, "mcpHost.servers": {"a": 1}}';
    assert.equal(found(text, ['a'], { codeWorkspace: true }), '2');
    assert.equal(found('{"folders": []}', ['a'], { codeWorkspace: true }), undefined);
  });

  it('is nowhere in a file that is nested deeper than the stack', () => {
    assert.equal(locate(`{"mcpHost.servers": ${'['.repeat(100_000)}`, ['a']), undefined);
  });

  it('is nowhere in a file that is far longer than settings are', () => {
    const text = '{"mcpHost.servers": {"a": 1}}';
    assert.equal(found(text.padEnd(4_000_000), ['a']), '1');
    assert.equal(locate(text.padEnd(4_000_001), ['a']), undefined);
  });

  it('is found for every problem', () => {
    const text =
      '{"mcpHost.servers": {"mcpServers": {"a": {"cmd": "x"}, "b": {"command": 5}, "c": {"url": "x", "command": "y"}, "d/e": 1}}}';
    const parsed = parseServers(JSON.parse(text)['mcpHost.servers']);
    const problems = [...parsed.problems, ...parsed.servers.flatMap(server => server.problems)];
    const places = problems.map(({ path, onKey }) => found(text, path, { ...(onKey && { onKey }) }));
    assert.deepEqual(places, ['"mcpServers"', '"cmd"', '5', '"x"', '"d/e"', '1']);
  });
});

it('the places of many problems are found in one reading of the file @locateSetting.places-many-problems', () => {
  // To read the text again for each would take hours.
  const text = `{ "mcpHost.servers": { "a": { "command": 7 } } } // ${'x'.repeat(2_000_000)}`;
  for (let n = 0; n < 1_000_000; n++) if (!locate(text, ['a', 'command'])) assert.fail();
});

import assert from 'node:assert/strict';
import { applyEdits, parse } from 'jsonc-parser';
import { settingsFixes } from '../../../../../src/features/settings/core/settingsFixes';
import { parseServers } from '../../../../../src/host/settings';
import type { ParsedServer } from '../../../../../src/host/settings/parseServers';

/** The server after the first fix of its problems, and all fixes that there are. */
function fixed(entry: string): { kinds: string[]; entry: unknown } {
  const text = `{\n  // a comment\n  "mcpHost.servers": {\n    "a": ${entry},\n  }\n}`;
  const [{ problems }] = parseServers(parse(text)['mcpHost.servers']).servers as [ParsedServer];
  assert.ok(problems.length > 0, 'there is no problem');
  const fixes = problems.flatMap(problem => settingsFixes(text, problem));
  const mended = fixes[0] ? applyEdits(text, [fixes[0].edit]) : text;
  assert.ok(mended.includes('// a comment'));
  return { kinds: fixes.map(({ kind, to }) => `${kind} ${to}`), entry: parse(mended)['mcpHost.servers'].a };
}

describe('settingsFixes', () => {
  const cases: [what: string, entry: string, kinds: string[], mended: unknown][] = [
    ['a key of another host', '{ "cmd": "x" }', ['rename command'], { command: 'x' }],
    ['a misspelt key', '{ "command": "x", "arg": ["y"] }', ['rename args'], { command: 'x', args: ['y'] }],
    ['a type that is none', '{ "command": "x", "type": "local" }', ['type stdio'], { command: 'x', type: 'stdio' }],
    [
      'the type of an address',
      '{ "url": "https://x.example", "type": "web" }',
      ['type http', 'type sse'],
      { url: 'https://x.example', type: 'http' },
    ],
    [
      'a whole command line',
      '{ "command": "npx -y \\"my package\\"" }',
      ['split npx'],
      { command: 'npx', args: ['-y', 'my package'] },
    ],
    [
      'arguments in one string',
      '{ "command": "npx", "args": "-y \'my package\'" }',
      ['list ["-y", "my package"]'],
      { command: 'npx', args: ['-y', 'my package'] },
    ],
    ['a number among the arguments', '{ "command": "x", "args": [80] }', ['quote 80'], { command: 'x', args: ['80'] }],
    [
      'a number in quotes',
      '{ "command": "x", "timeouts": { "startMs": "5000" } }',
      ['unquote 5000'],
      { command: 'x', timeouts: { startMs: 5000 } },
    ],
    [
      'a truth in quotes',
      '{ "command": "x", "enabled": "false" }',
      ['unquote false'],
      { command: 'x', enabled: false },
    ],
    ['"disabled"', '{ "command": "x", "disabled": true }', ['enabled false'], { command: 'x', enabled: false }],
    [
      'a misspelt limit',
      '{ "command": "x", "timeouts": { "start": 5 } }',
      ['rename startMs'],
      { command: 'x', timeouts: { startMs: 5 } },
    ],
  ];
  for (const [what, entry, kinds, mended] of cases) {
    it(`${what}: ${kinds.join(' or ')}`, () => assert.deepEqual(fixed(entry), { kinds, entry: mended }));
  }

  it('has no fix for unknown problems, and none that duplicates a key', () => {
    assert.deepEqual(fixed('{ "command": "x", "nonsense": 1 }').kinds, []);
    assert.deepEqual(fixed('{ "command": "x", "cmd": "y" }').kinds, []);
    assert.deepEqual(fixed('{ "command": "x", "timeouts": { "startMs": "soon" } }').kinds, []);
  });
});

import assert from 'node:assert/strict';
import { applyEdits, parse } from 'jsonc-parser';
import { english } from '../../../../../src/base/phrase';
import { locate } from '../../../../../src/features/settings/core/locateSetting';
import { settingsFixes } from '../../../../../src/features/settings/core/settingsFixes';
import { resolveDefinitions } from '../../../../../src/host/definitions';
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
    [
      '"disabled"',
      '{ "command": "x", "disabled": true }',
      ['instead "enabled": false'],
      { command: 'x', enabled: false },
    ],
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
    assert.deepEqual(fixed('{ "command": 5 }').kinds, ['quote 5']);
    assert.deepEqual(fixed('{ "command": null }').kinds, []);
    assert.deepEqual(fixed('{ "command": "x", "cmd": "y" }').kinds, []);
    assert.deepEqual(fixed('{ "command": "x", "timeouts": { "startMs": "soon" } }').kinds, []);
  });

  it('has none that leaves an error', () => {
    // A number is no object of limits, and a text is no list of arguments.
    assert.deepEqual(fixed('{ "command": "x", "timeout": "60" }').kinds, ['remove timeout']);
    assert.deepEqual(fixed('{ "command": "x", "arg": "-y" }').kinds, ['remove arg']);
    assert.deepEqual(fixed('{ "command": "x", "type": "local", "cwd": 5 }').kinds, ['type stdio', 'quote 5']);
  });
});

/** The value of the whole setting, and its problems with their places, before and after the first fix of each of them. */
interface Mistake {
  readonly value: string;
  /** `place: message`, with the text at the place. */
  readonly problems: readonly string[];
  readonly fixes: readonly string[];
  /** The file after the first fix. */
  readonly after: string;
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'an input that is not defined': {
    value: '{ "a": { "command": "x", "env": { "K": "${input:key}" } } }',
    problems: ['"${input:key}": ${input:key} is not defined. Add it to "mcpHost.inputs" in the same settings file.'],
    fixes: ['defineInput key'],
    after: JSON.stringify(
      {
        'mcpHost.servers': { a: { command: 'x', env: { K: '${input:key}' } } },
        'mcpHost.inputs': [{ type: 'promptString', id: 'key', password: true }],
      },
      undefined,
      2,
    ),
  },
  'a variable as shells have it': {
    value: '{ "a": { "command": "x", "args": ["--t=${TOKEN}", "${TOKEN} $${TOKEN}"] } }',
    problems: ['"--t=${TOKEN}"', '"${TOKEN} $${TOKEN}"'].map(
      text =>
        `${text}: \${TOKEN} is not a variable. The variables are \${workspaceFolder}, \${workspaceFolder:name}, \${workspaceFolderBasename}, \${userHome}, \${execPath}, \${extensionInstallFolder:publisher.name}, \${env:NAME}, \${env:NAME:-default}, \${config:key}, \${input:id}, \${port}, \${pathSeparator}, \${/}. For the literal text, write $\${TOKEN}.`,
    ),
    fixes: ['instead ${env:TOKEN}', 'instead ${env:TOKEN}'],
    after: '{ "mcpHost.servers": { "a": { "command": "x", "args": ["--t=${env:TOKEN}", "${TOKEN} $${TOKEN}"] } } }',
  },
  'a limit in seconds, as other hosts have it': {
    value: '{ "a": { "command": "x", "timeout": 60 } }',
    problems: ['"timeout": "timeout" is unknown and ignored. Did you mean "timeouts.toolCallMs"?'],
    fixes: ['instead "timeouts": { "toolCallMs": 60000 }'],
    after: '{ "mcpHost.servers": { "a": { "command": "x", "timeouts": { "toolCallMs": 60000 } } } }',
  },
  'a limit in milliseconds, beside limits': {
    value: '{ "a": { "command": "x", "timeout": 90000, "timeouts": { "startMs": 1 } } }',
    problems: ['"timeout": "timeout" is unknown and ignored. Did you mean "timeouts.toolCallMs"?'],
    fixes: ['instead "timeouts": { "toolCallMs": 90000 }'],
    after:
      '{\n  "mcpHost.servers": {\n    "a": {\n      "command": "x",\n      "timeouts": {\n        "startMs": 1,\n        "toolCallMs": 90000\n      }\n    }\n  }\n}',
  },
  'permission that only a person gives': {
    value: '{ "a": { "command": "x", "alwaysAllow": ["y"] /* why */ } }',
    problems: [
      '"alwaysAllow": "alwaysAllow" is ignored: settings allow no calls. You are asked about a tool when it is first called.',
    ],
    fixes: ['remove alwaysAllow'],
    after: '{ "mcpHost.servers": { "a": { "command": "x" /* why */ } } }',
  },
  'a whole file of another host': {
    value: '{\n  "mcpServers": {\n    // mine\n    "a": {\n      "command": "x"\n    },\n  }\n}',
    problems: [
      '"mcpServers": "mcpServers" is not needed: servers are listed directly in "mcpHost.servers". The servers in it are used anyway. Move them up one level.',
    ],
    fixes: ['unwrap '],
    after: '{ "mcpHost.servers": {\n  // mine\n  "a": {\n    "command": "x"\n  }\n} }',
  },
  'inputs beside it': {
    value: '{ "servers": { "a": { "command": "x" } }, "inputs": [{ "type": "promptString", "id": "t" }] }',
    problems: [
      '"servers": "servers" is not needed: servers are listed directly in "mcpHost.servers". The servers in it are used anyway. Move them up one level.',
      '"inputs": "inputs" is ignored here. Move it to the "mcpHost.inputs" setting in this file.',
    ],
    fixes: ['unwrap ', 'moveInputs '],
    after:
      '{\n  "mcpHost.servers": {\n    "a": {\n      "command": "x"\n    }\n  },\n  "mcpHost.inputs": [\n    {\n      "type": "promptString",\n      "id": "t"\n    }\n  ]\n}',
  },
  'a type that does not fit a command': {
    value: '{ "a": { "type": "sse", "command": "x" } }',
    problems: ['"sse": A server with a "command" has another "type" than "sse". Use "stdio".'],
    fixes: ['type stdio'],
    after: '{ "mcpHost.servers": { "a": { "type": "stdio", "command": "x" } } }',
  },
  'a type that does not fit an address': {
    value: '{ "a": { "type": "stdio", "url": "https://x.example" } }',
    problems: ['"stdio": A server with a "url" has another "type" than "stdio". Use "http".'],
    fixes: ['type http', 'type sse'],
    after: '{ "mcpHost.servers": { "a": { "type": "http", "url": "https://x.example" } } }',
  },
  ...Object.fromEntries(
    (
      [
        ['localhost:3000/mcp', 'scheme http://', 'http://localhost:3000/mcp'],
        ['127.0.0.1:80', 'scheme http://', 'http://127.0.0.1:80'],
        ['example.com/mcp', 'scheme https://', 'https://example.com/mcp'],
        ['ws://x.example/mcp', 'scheme http://', 'http://x.example/mcp'],
        ['wss://x.example/mcp', 'scheme https://', 'https://x.example/mcp'],
        ['htps://x.example/mcp', 'scheme https://', 'https://x.example/mcp'],
        ["'https://x.example'", 'unquote https://x.example', 'https://x.example'],
        ['<https://x.example>', 'unquote https://x.example', 'https://x.example'],
      ] as const
    ).map(([url, fix, mended]): [string, Mistake] => [
      `an address without a usable scheme: ${url}`,
      {
        value: `{ "a": { "url": "${url}" } }`,
        problems: [`"${url}": "url" is not an address. Enter one that starts with https:// or http://.`],
        fixes: [fix],
        after: `{ "mcpHost.servers": { "a": { "url": "${mended}" } } }`,
      },
    ]),
  ),
  'an address in quotes': {
    value: '{ "a": { "url": "\\"https://x.example\\"" } }',
    problems: ['"\\"https://x.example\\"": "url" is not an address. Enter one that starts with https:// or http://.'],
    fixes: ['unquote https://x.example'],
    after: '{ "mcpHost.servers": { "a": { "url": "https://x.example" } } }',
  },
  'an address with a space': {
    value: '{ "a": { "url": "https://x.example/${config:my path}/ mcp" } }',
    problems: ['"https://x.example/${config:my path}/ mcp": "url" contains a space. Remove it, or write it as %20.'],
    fixes: ['withoutSpaces ', 'encodedSpaces '],
    after: '{ "mcpHost.servers": { "a": { "url": "https://x.example/${config:my path}/mcp" } } }',
  },
  'something that is no address at all': {
    value: '{ "a": { "url": "ftp://x.example" } }',
    problems: ['"ftp://x.example": "url" is not an address. Enter one that starts with https:// or http://.'],
    fixes: [],
    after: '{ "mcpHost.servers": { "a": { "url": "ftp://x.example" } } }',
  },
  'a program that runs nothing': {
    value: '{ "a": { "command": "/usr/bin/node" } }',
    problems: [
      '"/usr/bin/node": "args" is missing: "/usr/bin/node" alone runs no server, and never answers. For example: "args": ["server.js"].',
    ],
    fixes: [],
    after: '{ "mcpHost.servers": { "a": { "command": "/usr/bin/node" } } }',
  },
  'names that differ by case': {
    value: '{ "GitHub": { "command": "x" }, "github": { "command": "x" } }',
    problems: ['"github": Only upper and lower case distinguish "github" from "GitHub". Rename one of them.'],
    fixes: [],
    after: '{ "mcpHost.servers": { "GitHub": { "command": "x" }, "github": { "command": "x" } } }',
  },
  'a token beside another mistake': {
    value:
      '{ "a": { "type": "web", "url": "https://x.example", "headers": { "Authorization": "Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345" } } }',
    problems: [
      '"web": "type" must be "stdio", "http" or "sse", but it is "web". For example: "type": "http".',
      '"Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345": "Authorization" of server "a" looks like a secret in plain text. Move it to an input to keep it in the editor\'s secret storage.',
    ],
    fixes: ['type http', 'type sse'],
    after:
      '{ "mcpHost.servers": { "a": { "type": "http", "url": "https://x.example", "headers": { "Authorization": "Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345" } } } }',
  },
  ...(process.platform === 'win32'
    ? {}
    : {
        'paths of another system': {
          value:
            '{ "a": { "command": "C:\\\\node\\\\node.exe", "args": ["D:\\\\srv\\\\index.js", "C:\\\\data"], "cwd": "\\\\\\\\share\\\\x" } }',
          problems: [
            `"C:\\\\node\\\\node.exe": "command" is a path of another operating system: servers run on ${process.platform === 'darwin' ? 'macOS' : 'Linux'} here.`,
            `"\\\\\\\\share\\\\x": "cwd" is a path of another operating system: servers run on ${process.platform === 'darwin' ? 'macOS' : 'Linux'} here.`,
            `"D:\\\\srv\\\\index.js": "args" is a path of another operating system: servers run on ${process.platform === 'darwin' ? 'macOS' : 'Linux'} here.`,
          ],
          fixes: [],
          after:
            '{ "mcpHost.servers": { "a": { "command": "C:\\\\node\\\\node.exe", "args": ["D:\\\\srv\\\\index.js", "C:\\\\data"], "cwd": "\\\\\\\\share\\\\x" } } }',
        } satisfies Mistake,
      }),
};

describe('a mistake in mcpHost.servers', () => {
  for (const [what, { value, problems, fixes, after }] of Object.entries(MISTAKES)) {
    it(`is found at its place, and mended without a new one: ${what}`, () => {
      const text = `{ "mcpHost.servers": ${value} }`;
      const variables = { workspaceFolders: [], userHome: '/home/me', env: () => undefined, config: () => 'x' };
      const source = { scope: 'user' } as const;
      const found = resolveDefinitions([{ source, value: parse(text)['mcpHost.servers'], variables }]).problems[0]!;
      const placed = found.problems.map(problem => {
        const { offset, length } = locate(text, problem.path, { onKey: problem.onKey ?? false })!;
        return `${text.slice(offset, offset + length)}: ${english(problem.message)}`;
      });
      assert.deepEqual(placed, problems);
      const offered = found.problems.flatMap(problem => settingsFixes(text, problem));
      assert.deepEqual(
        offered.map(({ kind, to }) => `${kind} ${to}`),
        fixes,
      );
      assert.equal(offered[0] ? applyEdits(text, [offered[0].edit]) : text, after);
    });
  }
});

it('a very long text has no fixes, as all its servers would be read for each', () => {
  const text = '{ "mcpHost.servers": { "a": { "cmd": "x" } } }';
  const [{ problems }] = parseServers(parse(text)['mcpHost.servers']).servers as [ParsedServer];
  const count = (length: number) => problems.flatMap(problem => settingsFixes(text.padEnd(length), problem)).length;
  assert.deepEqual([count(500_000), count(500_001)], [1, 0]);
});

import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { parseServers } from '../../../../src/host/settings';

const DEFAULTS = { enabled: true, timeouts: { startMs: 60_000, requestMs: 30_000, toolCallMs: 120_000 } };
const STDIO = { type: 'stdio', args: [], env: {}, ...DEFAULTS };
const HTTP = { type: 'http', headers: {}, ...DEFAULTS };

/** The one server that `entry` makes. */
function parse(entry: unknown) {
  const { servers, problems } = parseServers({ files: entry });
  assert.deepEqual(problems, []);
  assert.equal(servers.length, 1);
  return servers[0]!;
}

const messages = (entry: unknown) => parse(entry).problems.map(({ message }) => english(message));
const errors = (entry: unknown) => parse(entry).problems.filter(({ severity }) => severity === 'error');

/** The only error of `entry`, as its path below the entry and its message. */
function error(entry: unknown): [path: string, message: string] {
  const found = errors(entry);
  assert.equal(found.length, 1, JSON.stringify(found));
  assert.equal(parse(entry).entry, undefined);
  assert.equal(found[0]!.path[0], 'files');
  return [found[0]!.path.slice(1).join('.'), english(found[0]!.message)];
}

describe('an entry of mcpHost.servers', () => {
  it('with a command is a program', () => {
    const { entry, problems } = parse({ command: ' npx ', args: ['-y', ''] });
    assert.deepEqual(problems, []);
    assert.deepEqual(entry, { ...STDIO, command: 'npx', args: ['-y', ''] });
  });

  it('with a url is an HTTP server', () => {
    const { entry, problems } = parse({ url: 'https://example.com/mcp', headers: { 'X-Team': ' a ' } });
    assert.deepEqual(problems, []);
    assert.deepEqual(entry, { ...HTTP, url: 'https://example.com/mcp', headers: { 'X-Team': 'a' } });
  });

  for (const [type, normal] of [
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['streamableHttp', 'http'],
    ['sse', 'sse'],
  ]) {
    it(`with "${type}" has the type ${normal}`, () => {
      const { entry, problems } = parse({ type, url: 'http://127.0.0.1:3001/mcp' });
      assert.deepEqual(problems, []);
      assert.equal(entry?.type, normal);
    });
  }

  it('can name files that restart it', () => {
    const { entry, problems } = parse({ command: 'node', dev: { watch: ' src/**/*.ts ', build: 'npm run build' } });
    assert.deepEqual(problems, []);
    assert.deepEqual(entry, { ...STDIO, command: 'node', dev: { watch: ['src/**/*.ts'], build: 'npm run build' } });
    assert.deepEqual(parse({ command: 'node', dev: { watch: ['a', 'b'] } }).problems, []);
    assert.deepEqual(parse({ command: 'node', dev: {} }).problems, []);
  });

  it('cannot name them in an unusable form', () => {
    const dev = (value: unknown) => error({ command: 'node', dev: value });
    assert.deepEqual(dev('src/**'), [
      'dev',
      '"dev" must be an object with patterns of files, but it is a string. For example: "dev": { "watch": "src/**/*.ts", "build": "npm run build" }.',
    ]);
    assert.deepEqual(dev({ watch: '' })[0], 'dev.watch');
    assert.deepEqual(dev({ watch: ['a', ''] })[0], 'dev.watch.1');
    assert.deepEqual(dev({ watch: 7 })[0], 'dev.watch');
    assert.deepEqual(dev({ watch: 'a\0' })[0], 'dev.watch');
    assert.deepEqual(dev({ watch: 'a', build: ' ' })[0], 'dev.build');
  });

  it('gets warnings for unwatchable files, a build that never runs, and unknown properties', () => {
    const warnings = (dev: unknown) =>
      parse({ command: 'node', dev }).problems.map(({ severity, path, message }) => {
        assert.equal(severity, 'warning');
        return [path.slice(1).join('.'), english(message)];
      });
    const never = (name: string) => `Files in "${name}" are never watched. Name other files, or remove this.`;
    assert.deepEqual(warnings({ watch: 'node_modules/mine/**' }), [['dev.watch', never('node_modules')]]);
    assert.deepEqual(warnings({ watch: ['src/**', '{lib,.git}/**'] }), [['dev.watch.1', never('.git')]]);
    assert.deepEqual(warnings({ watch: 'src/my_node_modules/**' }), []);
    assert.deepEqual(warnings({ build: 'make' }), [
      ['dev.build', '"build" never runs without "watch". Add "watch" with the files whose changes trigger it.'],
    ]);
    assert.deepEqual(warnings({ wach: 'a' }), [['dev.wach', '"wach" is unknown and ignored. Did you mean "watch"?']]);
    const [remote] = parse({ url: 'https://example.com', dev: { watch: 'node_modules' } }).problems;
    assert.equal(english(remote!.message), '"dev" does not apply to this type of server and is ignored. Remove it.');
  });

  it('can set everything', () => {
    const all = {
      type: 'stdio',
      command: 'node',
      args: ['a b'],
      env: { A: 'x', B: 1, C: true, D: null, E: '' },
      envFile: '.env',
      cwd: '${workspaceFolder}',
      enabled: false,
      timeouts: { startMs: 1, requestMs: 2, toolCallMs: 2_147_483_647 },
      logLevel: 'emergency',
    };
    const { entry, problems } = parse(all);
    assert.deepEqual(problems, []);
    assert.deepEqual(entry, { ...all, env: { A: 'x', B: '1', C: 'true', D: null, E: '' } });
  });

  it('keeps the default of unset timeouts @parseServers.keeps-default-unset', () => {
    assert.deepEqual(parse({ command: 'x', timeouts: { startMs: 5 } }).entry?.timeouts, {
      ...DEFAULTS.timeouts,
      startMs: 5,
    });
  });

  it('requires a command or a url', () => {
    const [path, message] = error({ args: ['x'] });
    assert.equal(path, '');
    assert.match(message, /needs a "command" .* or a "url" .* neither/);
    assert.deepEqual(error({ type: 'stdio' }), ['command', '"command" is missing. For example: "command": "npx".']);
    assert.deepEqual(error({ type: 'sse' }), [
      'url',
      '"url" is missing. For example: "url": "https://example.com/mcp".',
    ]);
  });

  it('has both only where a program is reached on this machine, unless its type says which is used', () => {
    const [path, message] = error({ command: 'npx', url: 'https://example.com' });
    assert.equal(path, 'url');
    assert.match(message, /not an address of this machine.*"command".*Remove one/);
    const { entry, problems } = parse({ type: 'http', command: 'npx', url: 'https://example.com' });
    assert.equal(entry?.type, 'http');
    assert.match(english(problems[0]!.message), /^"command" does not apply to this type of server/);
  });

  it('is refused if it is not an object', () => {
    for (const [value, kind] of [
      [[], 'a list'],
      [null, 'null'],
      ['npx', 'a string'],
      [3, 'a number'],
      [true, 'true'],
    ]) {
      const [path, message] = error(value);
      assert.equal(path, '');
      assert.match(message, new RegExp(`must be an object with a "command" or a "url", but it is ${kind}\\.`));
    }
  });

  const wrong: [field: string, value: unknown, path: string, message: string][] = [
    ['type', 'htp', 'type', '"type" must be "stdio", "http" or "sse", but it is "htp". For example: "type": "http".'],
    ['type', 1, 'type', '"type" must be "stdio", "http" or "sse", but it is a number. For example: "type": "http".'],
    ['command', 7, 'command', '"command" must be a string, but it is a number. Put it in quotes.'],
    ['command', ['npx'], 'command', '"command" must be a string, but it is a list. For example: "command": "npx".'],
    ['command', '  ', 'command', '"command" must be a string, but it is empty. For example: "command": "npx".'],
    ['command', 'a\0', 'command', '"command" contains a NUL character, which no program accepts. Remove it.'],
    ['args', ['a', 2], 'args.1', '"args" must be a list of strings, but item 2 is a number. Put it in quotes.'],
    [
      'args',
      [null],
      'args.0',
      '"args" must be a list of strings, but item 1 is null. For example: "args": ["-y", "package"].',
    ],
    ['args', ['\0'], 'args.0', 'item 1 of "args" contains a NUL character, which no program accepts. Remove it.'],
    [
      'args',
      '-y',
      'args',
      '"args" must be a list of strings, but it is a string. Put it in square brackets, each argument in its own quotes.',
    ],
    [
      'args',
      {},
      'args',
      '"args" must be a list of strings, but it is an object. For example: "args": ["-y", "package"].',
    ],
    [
      'env',
      [],
      'env',
      '"env" must be an object of strings, but it is a list. For example: "env": { "NAME": "value" }.',
    ],
    [
      'start',
      'soon',
      'start',
      '"start" must be "onStartup", "onDemand" or "never", but it is "soon". For example: "start": "onDemand".',
    ],
    [
      'env',
      { A: {} },
      'env.A',
      '"env" must be an object of strings, but "A" is an object. For example: "env": { "NAME": "value" }.',
    ],
    [
      'env',
      { 'A=B': '' },
      'env.A=B',
      '"env" has an invalid entry "A=B". A variable name must not be empty or contain "=". Rename it.',
    ],
    [
      'env',
      { '': '' },
      'env.',
      '"env" has an invalid entry "". A variable name must not be empty or contain "=". Rename it.',
    ],
    ['envFile', false, 'envFile', '"envFile" must be a path in quotes, but it is false. Put it in quotes.'],
    ['cwd', '', 'cwd', '"cwd" must be a path in quotes, but it is empty. For example: "cwd": "${workspaceFolder}".'],
    ['enabled', 'true', 'enabled', '"enabled" must be true or false, but it is a string. Remove the quotes.'],
    [
      'timeouts',
      5,
      'timeouts',
      '"timeouts" must be an object of milliseconds, but it is 5. For example: "timeouts": { "startMs": 60000 }.',
    ],
    [
      'timeouts',
      { startMs: '5' },
      'timeouts.startMs',
      '"timeouts.startMs" must be a whole number of milliseconds from 1 to 2147483647, but it is a string. Remove the quotes.',
    ],
    [
      'logLevel',
      'warn',
      'logLevel',
      '"logLevel" must be a level from "debug" to "emergency", but it is "warn". For example: "logLevel": "info".',
    ],
  ];
  for (const [field, value, path, message] of wrong) {
    it(`reports ${field}: ${JSON.stringify(value)}`, () => {
      assert.deepEqual(error({ command: 'npx', args: [], [field]: value }), [path, message]);
    });
  }

  for (const value of [0, -5, 1.5, 2 ** 31, 1e300, null]) {
    it(`refuses a timeout of ${value}`, () => {
      const [path, message] = error({ command: 'npx', timeouts: { toolCallMs: value } });
      assert.equal(path, 'timeouts.toolCallMs');
      assert.ok(message.includes(`but it is ${value}. For example: "toolCallMs": 60000.`), message);
    });
  }

  const badRemote: [entry: object, path: string, message: string][] = [
    [
      { url: '' },
      'url',
      '"url" must be an address in quotes, but it is empty. For example: "url": "https://example.com/mcp".',
    ],
    [{ url: 'example.com' }, 'url', '"url" is not an address. Enter one that starts with https:// or http://.'],
    [
      { url: 'https://a.example', oauth: { authorizationUrl: 'https://b.example/authorize' } },
      'oauth',
      '"oauth" needs both "authorizationUrl" and "tokenUrl", or neither.',
    ],
    [
      { url: 'https://a.example', oauth: { tokenUrl: 'https://b.example/token' } },
      'oauth',
      '"oauth" needs both "authorizationUrl" and "tokenUrl", or neither.',
    ],
    [{ url: 'file:///etc/passwd' }, 'url', '"url" is not an address. Enter one that starts with https:// or http://.'],
    ...['unix://tmp/a.sock', 'unix:/tmp/a.sock', 'pipe:///'].map((url): [object, string, string] => [
      { url },
      'url',
      '"url" is not the address of a socket. Enter it as "unix:///path/to/server.sock#/mcp".',
    ]),
    [
      { url: 'https://me:secret@x.y' },
      'url',
      '"url" must not contain a user name or password. Send them as an "Authorization" header in "headers".',
    ],
    [
      { url: 'http://x', headers: { A: 'x\ny' } },
      'headers.A',
      '"A" of "headers" has a line break or a character that HTTP headers cannot carry. Remove it.',
    ],
    [
      { url: 'http://x', headers: { A: '日本' } },
      'headers.A',
      '"A" of "headers" has a line break or a character that HTTP headers cannot carry. Remove it.',
    ],
    [
      { url: 'http://x', headers: { A: 5 } },
      'headers.A',
      '"headers" must be an object of strings, but "A" is a number. Put it in quotes.',
    ],
    [
      { url: 'http://x', headers: { 'A B': '' } },
      'headers.A B',
      '"headers" has an invalid entry "A B". A header name consists of letters, digits and hyphens. Rename it.',
    ],
  ];
  for (const [entry, path, message] of badRemote) {
    it(`reports ${JSON.stringify(entry)}`, () => assert.deepEqual(error(entry), [path, message]));
  }

  it('reports all errors at once', () => {
    const found = errors({ command: 1, args: 'x', env: { A: [] }, cwd: 5 }).map(({ path }) => path.slice(1).join('.'));
    assert.deepEqual(found, ['command', 'args', 'env.A', 'cwd']);
  });

  it('never repeats a possibly secret value', () => {
    const secret = 'hunter2';
    const text = JSON.stringify([
      messages({ command: 'x', env: { A: [secret] }, envFile: [secret], args: [{ secret }] }),
      messages({ url: `https://u:${secret}@x`, headers: { A: `${secret}\n`, B: `\n${secret}\n${secret}` } }),
      messages({ url: `${secret}`, headers: [secret] }),
      messages({ command: 'npx', args: [1234567] }),
    ]);
    assert.ok(!text.includes(secret) && !text.includes('1234567'), text);
  });

  it('has few problems, however long an invalid list is', () => {
    assert.equal(messages({ command: 'x', args: Array.from({ length: 100_000 }, (_, i) => i) }).length, 1);
    assert.equal(messages({ command: 'x', args: Array.from({ length: 1_000 }, (_, i) => i) }).length, 20);
    assert.equal(
      messages({ command: 'x', ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i])) }).length,
      20,
    );
  });

  it('accepts values as long as a system passes to a program', () => {
    const args = Array.from({ length: 1_900 }, () => 'x'.repeat(30));
    const { entry } = parse({ command: 'x'.repeat(130_000), args });
    assert.ok(entry?.type === 'stdio' && entry.args.length === 1_900);
    for (const length of [100_000, 1_000_000]) {
      const [message] = messages({ command: 'x', ['k'.repeat(length)]: 1 });
      assert.ok(message!.length < 200);
    }
  });
});

describe('an unknown key of an entry', () => {
  const hint = (key: string, entry: object = { command: 'x' }) => {
    const { entry: parsed, problems } = parse({ ...entry, [key]: 'x' });
    assert.ok(parsed, 'the entry is still used');
    assert.deepEqual(
      problems.map(({ severity, path, onKey }) => ({ severity, path, onKey })),
      [{ severity: 'warning', path: ['files', key], onKey: true }],
    );
    return english(problems[0]!.message);
  };

  for (const key of ['alwaysAllow', 'autoApprove', 'trust']) {
    it(`is ignored with a warning that settings allow no calls: ${key}`, () => {
      const why = 'settings allow no calls. You are asked about a tool when it is first called.';
      assert.equal(hint(key), `"${key}" is ignored: ${why}`);
    });
  }

  for (const key of ['description', 'gallery', 'version', 'metadata', 'constructor', 'toString']) {
    it(`is ignored with a warning: ${key}`, () => {
      assert.equal(hint(key), `"${key}" is unknown and ignored. Remove it unless another host needs it.`);
    });
  }

  const near = {
    cmd: 'command',
    arg: 'args',
    arguments: 'args',
    environment: 'env',
    evn: 'env',
    xyv: '',
    ENV: 'env',
    timeout: 'timeouts.toolCallMs',
    loglevel: 'logLevel',
    workingDirectory: 'cwd',
    comand: 'command',
    transport: 'type',
  };
  for (const [key, meant] of Object.entries(near)) {
    it(`${meant ? `is taken for a slip of "${meant}"` : 'is not guessed at when it is too far off'}: ${key}`, () => {
      assert.equal(/Did you mean "([\w.]+)"\?/.exec(hint(key))?.[1] ?? '', meant);
    });
  }

  it('is one mistake where the entry lacks the right key', () => {
    const mistakes = (raw: object) =>
      parse(raw).problems.map(({ severity, path, meant }) => [severity, ...path.slice(1), meant]);
    assert.deepEqual(mistakes({ cmd: 'npx' }), [['error', 'cmd', 'command']]);
    assert.deepEqual(mistakes({ type: 'stdio', commnd: 'npx' }), [['error', 'commnd', 'command']]);
    assert.deepEqual(mistakes({ type: 'http', ulr: 'https://x.example', evn: {} }), [
      ['error', 'ulr', 'url'],
      ['warning', 'evn', undefined],
    ]);
    assert.deepEqual(mistakes({ cmd: 5 }), [
      ['error', undefined],
      ['warning', 'cmd', undefined],
    ]);
    assert.match(
      english(parse({ ulr: 'https://x.example' }).problems[0]!.message),
      /"ulr" is unknown\. Did you mean "url"\?/,
    );
  });

  it('is reported within timeouts', () => {
    const { problems } = parse({ command: 'x', timeouts: { start: 5 } });
    assert.deepEqual(problems[0]!.path, ['files', 'timeouts', 'start']);
    assert.match(english(problems[0]!.message), /Did you mean "startMs"/);
  });

  it('is understood when it is "disabled"', () => {
    const { entry, problems } = parse({ command: 'x', disabled: true });
    assert.equal(entry?.enabled, false);
    assert.equal(problems.length, 1);
    assert.match(english(problems[0]!.message), /Use "enabled": false instead/);
    assert.equal(parse({ url: 'http://x', disabled: false }).entry?.enabled, true);
  });

  it('does not override "enabled"', () => {
    const { entry, problems } = parse({ command: 'x', disabled: true, enabled: true });
    assert.equal(entry?.enabled, true);
    assert.match(english(problems[0]!.message), /ignored/);
  });
});

describe('A command with spaces', () => {
  it('is split when there are no args', () => {
    const { entry, problems } = parse({ command: 'npx -y "my package"' });
    assert.deepEqual(entry, { ...STDIO, command: 'npx', args: ['-y', 'my package'] });
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [['warning', 'files', 'command']],
    );
  });

  it('is split even when it is entirely quoted', () => {
    assert.deepEqual(parse({ command: '"/my tools/run"' }).entry, { ...STDIO, command: '/my tools/run' });
  });

  it('is not split when there are args', () => {
    const { entry, problems } = parse({ command: 'my program', args: [] });
    assert.deepEqual(problems, []);
    assert.deepEqual(entry, { ...STDIO, command: 'my program' });
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { english } from '../../../../../src/base/phrase';
import { choicesOf, NOTHING_CHOSEN, type RegistryChoice } from '../../../../../src/features/setup/core/registryServer';
import { parseInputs, parseServers } from '../../../../../src/host/settings';

const server = (of: object) => ({
  ...{ name: 'io.example/thing', title: undefined, description: '', version: '1.0.0', status: 'active' as const },
  ...{ packages: [], remotes: [], ...of },
});
interface Sample {
  name: string;
  packages?: object[];
  remotes?: object[];
  /** What settings have of each way: names of variables, the command line, the address, names of headers. */
  added: string[];
}
/** From repositories of their servers and the seed data and documentation of the official registry, 2025 and 2026. */
const samples = readFileSync('test/setup-samples/registry/servers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Sample);

interface WrittenEntry {
  command?: string;
  args?: string[];
  env?: object;
  url?: string;
  headers?: object;
}

/** The entry, which must be free of problems. */
function parsed(entry: WrittenEntry, inputs: readonly object[]): WrittenEntry {
  assert.deepEqual(parseServers({ one: entry }).servers[0]?.problems, []);
  assert.deepEqual(parseInputs(inputs).problems, []);
  return entry;
}

const keys = (value = {}) => Object.keys(value).map(key => `${key}=`);
const words = (...values: string[]) => values.map(value => ({ type: 'positional', value }));
const choiceOf = (of: object): RegistryChoice =>
  choicesOf(server({ packages: [{ transport: { type: 'stdio' }, version: '1.0.0', ...of }] }))[0]!;

/** The command line of a package, as settings have it, which must be free of problems. */
function lineOf(of: object, names: readonly string[] = [], counts: Readonly<Record<string, number>> = {}): string {
  const { build, refused } = choiceOf(of);
  if (!build) return english(refused!);
  const draft = build({ names: new Set(names), counts: new Map(Object.entries(counts)) });
  assert.deepEqual(parseServers({ [draft.name]: draft.entry }).servers[0]?.problems, []);
  assert.deepEqual(parseInputs(draft.inputs).problems, []);
  return [draft.entry.command, ...(draft.entry.args as string[])].join(' ');
}

describe("a package of a registry's server", () => {
  it('has a line of bounded length, however often its variables name each other @registryServer.line-bounded-length', () => {
    let doubled: object = { value: 'x' };
    for (let level = 0; level < 60; level++) doubled = { value: '{a}{a}', variables: { a: doubled } };
    const long = { value: 'x'.repeat(60_000) };
    for (const argument of [doubled, { value: '{a}'.repeat(60_000), variables: { a: long } }]) {
      const packageArguments = [
        { type: 'positional', ...argument },
        { type: 'positional', value: '{b}' },
      ];
      const { build } = choiceOf({ registryType: 'npm', identifier: 'p', packageArguments });
      const { args } = build!(NOTHING_CHOSEN).entry as { args: string[] };
      assert.ok(args.join('').length < 500_000, String(args.join('').length));
    }
  });

  const table: readonly (readonly [package_: object, line: string])[] = [
    // The registry that it names, unless that is where such packages come from anyway.
    [{ registryType: 'npm', identifier: 'p', registryBaseUrl: 'https://registry.npmjs.org' }, 'npx -y p@1.0.0'],
    [
      { registryType: 'npm', identifier: 'p', registryBaseUrl: 'https://npm.example.com/' },
      'npx -y --registry=https://npm.example.com p@1.0.0',
    ],
    [
      { registryType: 'npm', identifier: 'p', registryBaseUrl: 'https://npm.example.com', runtimeHint: 'bunx' },
      'npx -y --registry=https://npm.example.com p@1.0.0',
    ],
    [
      { registryType: 'pypi', identifier: 'p', registryBaseUrl: 'https://pypi.example.com' },
      'uvx --index-url https://pypi.example.com/simple p@1.0.0',
    ],
    [{ registryType: 'pypi', identifier: 'p', registryBaseUrl: 'https://pypi.org' }, 'uvx p@1.0.0'],
    [
      { registryType: 'nuget', identifier: 'P.Q', registryBaseUrl: 'https://nuget.example.com/v3/index.json' },
      'dnx P.Q@1.0.0 --yes --source https://nuget.example.com/v3/index.json',
    ],
    [
      { registryType: 'nuget', identifier: 'P.Q', registryBaseUrl: 'https://api.nuget.org/v3/index.json' },
      'dnx P.Q@1.0.0 --yes',
    ],
    [
      { registryType: 'oci', identifier: 'mcp/thing', registryBaseUrl: 'https://docker.io' },
      'docker run -i --rm mcp/thing:1.0.0',
    ],
    [
      { registryType: 'oci', identifier: 'me/thing', registryBaseUrl: 'https://ghcr.io' },
      'docker run -i --rm ghcr.io/me/thing:1.0.0',
    ],
    [
      { registryType: 'oci', identifier: 'ghcr.io/me/thing:2', registryBaseUrl: 'https://ghcr.io' },
      'docker run -i --rm ghcr.io/me/thing:2',
    ],
    [
      { registryType: 'oci', identifier: 'ghcr.io/me/thing:2', registryBaseUrl: 'https://quay.io' },
      'Its entry names two registries: ghcr.io and quay.io.',
    ],
    ...['http://npm.example.com', 'https://u:p@npm.example.com', 'no address', 'file:///x'].map(
      registryBaseUrl =>
        [
          { registryType: 'npm', identifier: 'p', registryBaseUrl },
          `Its package registry cannot be used: ${registryBaseUrl}.`,
        ] as const,
    ),
    // The runner that its author wants.
    [{ registryType: 'npm', identifier: 'p', runtimeHint: 'bunx' }, 'bunx p@1.0.0'],
    [{ registryType: 'npm', identifier: 'p', runtimeHint: 'pnpx' }, 'pnpx p@1.0.0'],
    [{ registryType: 'npm', identifier: 'p', runtimeHint: 'sh' }, 'npx -y p@1.0.0'],
    [{ registryType: 'oci', identifier: 'a/b', runtimeHint: 'podman' }, 'podman run -i --rm a/b:1.0.0'],
    [
      {
        ...{ registryType: 'nuget', identifier: 'P.Q', runtimeHint: 'dnx' },
        packageArguments: [
          { type: 'positional', value: 'mcp' },
          { type: 'positional', value: 'start' },
        ],
      },
      'dnx P.Q@1.0.0 --yes -- mcp start',
    ],
    // What can't be run.
    [{ registryType: 'maven', identifier: 'a:b' }, 'Packages of this kind are not run here: maven.'],
    [{ registryType: '__proto__', identifier: 'a' }, 'Packages of this kind are not run here: __proto__.'],
    [{ registryType: 'npm', identifier: '' }, 'Its package has no name that can be run.'],
    [{ registryType: 'npm', identifier: '--call=x' }, 'Its package has no name that can be run.'],
    [{ registryType: 'mcpb', identifier: 'https://x.example/a.mcpb' }, 'Its bundle has no SHA-256 to compare it with.'],
    [
      {
        ...{ registryType: 'npm', identifier: 'p' },
        transport: { type: 'streamable-http', url: 'https://x.example/mcp' },
      },
      'It speaks MCP over HTTP: start it yourself, then add its address, https://x.example/mcp.',
    ],
    [
      { registryType: 'npm', identifier: 'p', transport: { type: 'sse' } },
      'It speaks MCP over HTTP, and its entry has no address for that.',
    ],
    // What its runner would take for the package, were it not put behind that.
    [
      { registryType: 'npm', identifier: 'p', runtimeArguments: words('other'), packageArguments: words('more') },
      'npx -y p@1.0.0 other more',
    ],
    [
      { registryType: 'oci', identifier: 'a/b', runtimeArguments: words('run', '-i', '--rm', 'c/d') },
      'docker run -i --rm a/b:1.0.0 c/d',
    ],
    [
      { registryType: 'pypi', identifier: 'p', runtimeArguments: words('-p', '3.13', 'start', '--here') },
      'uvx -p 3.13 p@1.0.0 start --here',
    ],
    [
      { registryType: 'npm', identifier: 'p', runtimeArguments: words('-y', '--registry', 'https://x.example') },
      'npx -y --registry https://x.example p@1.0.0',
    ],
  ];
  for (const [of, line] of table)
    it(`is run by its own command line, or refused with a reason: ${JSON.stringify(of).slice(0, 150)}`, () =>
      assert.equal(lineOf(of), line));

  const withArguments = (...packageArguments: object[]) => ({ registryType: 'npm', identifier: 'p', packageArguments });

  it('offers every argument that may be left out, with its default', () => {
    const of = withArguments(
      { type: 'positional', valueHint: 'folder', description: 'Where to look' },
      { type: 'named', name: '--units', default: 'metric' },
      { type: 'named', name: '--port' },
      { type: 'named', name: '--mode', value: 'fast' },
      { type: 'named', name: '--key', isRequired: true, isSecret: true },
    );
    assert.deepEqual(choiceOf(of).optional, [
      { name: 'folder', description: 'Where to look' },
      { name: '--units', description: '(metric)' },
      { name: '--port', description: '' },
      { name: '--port …', description: '' },
    ]);
    const fixed = '--mode fast --key ${input:thing-key}';
    assert.equal(lineOf(of), `npx -y p@1.0.0 ${fixed}`);
    const all = '${input:thing-folder} --units ${input:thing-units} --port ${input:thing-port}';
    assert.equal(lineOf(of, ['folder', '--units', '--port …']), `npx -y p@1.0.0 ${all} ${fixed}`);
    assert.equal(lineOf(of, ['--port']), `npx -y p@1.0.0 --port ${fixed}`, 'a flag that is only set');
  });

  it('that speaks MCP over HTTP is started at a free port, where its entry leaves that open', () => {
    const over = (url: string) => ({ type: 'streamable-http', url });
    const table: readonly (readonly [of: object, line: string, url: string])[] = [
      [
        {
          ...withArguments({ type: 'named', name: '--port', default: '3000' }),
          transport: over('http://localhost:{--port}/mcp'),
        },
        'npx -y p@1.0.0 --port ${port}',
        'http://localhost:${port}/mcp',
      ],
      [
        {
          ...withArguments({ type: 'named', name: '--port', value: '81' }),
          transport: over('http://localhost:{port}/'),
        },
        'npx -y p@1.0.0 --port 81',
        'http://localhost:81/',
      ],
      [
        {
          ...{ registryType: 'pypi', identifier: 'p', environmentVariables: [{ name: 'PORT', default: '1' }] },
          transport: over('http://127.0.0.1:{PORT}/{path}'),
        },
        'uvx p@1.0.0',
        'http://127.0.0.1:${port}/${input:thing-path}',
      ],
      [
        {
          ...{ registryType: 'oci', identifier: 'a/b', transport: over('http://localhost:{port}/mcp') },
          runtimeArguments: [{ type: 'named', name: '-p', value: '{port}:8080', variables: { port: {} } }],
        },
        'docker run -i --rm -p ${port}:8080 a/b:1.0.0',
        'http://localhost:${port}/mcp',
      ],
      [
        { registryType: 'oci', identifier: 'a/b', transport: over('http://localhost:8080/mcp') },
        'docker run -i --rm -p 127.0.0.1:8080:8080 a/b:1.0.0',
        'http://localhost:8080/mcp',
      ],
      // Nothing is told which port it is.
      [
        { registryType: 'npm', identifier: 'p', transport: over('http://localhost:{port}/mcp') },
        'npx -y p@1.0.0',
        'http://localhost:${input:thing-port}/mcp',
      ],
    ];
    for (const [of, line, url] of table) {
      assert.equal(lineOf(of), line);
      assert.equal(choiceOf(of).build!(NOTHING_CHOSEN).entry.url, url);
    }
    const { env } = choiceOf(table[2]![0]).build!(NOTHING_CHOSEN).entry;
    assert.deepEqual(env, { PORT: '${port}' });
  });

  it('asks for each value of an argument that is given several times', () => {
    const of = withArguments(
      { type: 'positional', valueHint: 'folder', isRequired: true, isRepeated: true },
      {
        ...{ type: 'named', name: '--mount', isRepeated: true, value: 'src={from},dst={to}' },
        variables: { from: { isRequired: true }, to: { default: '/project' } },
      },
    );
    assert.deepEqual(
      choiceOf(of).repeated.map(({ name }) => name),
      ['folder', '--mount'],
    );
    assert.equal(
      lineOf(of, [], { folder: 2, '--mount': 2 }),
      'npx -y p@1.0.0 ${input:thing-folder} ${input:thing-folder-2} --mount src=${input:thing-from},dst=${input:thing-to}' +
        ' --mount src=${input:thing-from-2},dst=${input:thing-to-2}',
    );
  });

  it('asks for placeholders that its variables do not have; in an argument, they stay if the person wants that', () => {
    const argument = withArguments({ type: 'named', name: '--format', value: '{name}.txt' });
    assert.equal(lineOf(argument), 'npx -y p@1.0.0 --format ${input:thing-name}.txt');
    assert.equal(choiceOf(argument).build!(NOTHING_CHOSEN).inputs[0]?.default, '{name}');
    const remote = { type: 'streamable-http', url: 'https://{tenant}.example/mcp' };
    const draft = choicesOf(
      server({ remotes: [{ ...remote, headers: [{ name: 'Authorization', value: 'Bearer {token}' }] }] }),
    )[0]!.build!(NOTHING_CHOSEN);
    assert.deepEqual(draft.entry, {
      type: 'http',
      url: 'https://${input:thing-tenant}.example/mcp',
      headers: { Authorization: 'Bearer ${input:thing-token}' },
    });
  });
});

describe('entries of registries, as people wrote them', () => {
  for (const { name, packages = [], remotes = [], added } of samples)
    it(`${name} is added by every way that it offers, or refused with the reason`, () => {
      const lines = choicesOf(server({ name, packages, remotes })).map(({ build, bundle, refused }) => {
        if (!build) return bundle ? `bundle ${bundle.place}` : english(refused!);
        const { entry, inputs } = build(NOTHING_CHOSEN);
        const { env, command, args = [], url, headers } = parsed(entry, inputs);
        const program = command === undefined ? [] : [...keys(env), command, ...args];
        return [...program, ...(url === undefined ? [] : [url]), ...keys(headers)].join(' ');
      });
      assert.deepEqual(lines, added);
    });
});

describe("the address of a registry's server", () => {
  it('is tried over the newer transport first where it is listed as HTTP+SSE', () => {
    const { kind, build } = choicesOf(server({ remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }))[0]!;
    assert.deepEqual([kind, build!(NOTHING_CHOSEN).entry], ['sse', { type: 'http', url: 'https://x.example/sse' }]);
  });

  it('is refused with a reason where it is reached otherwise', () => {
    const refused = (remote: object) => english(choicesOf(server({ remotes: [remote] }))[0]!.refused!);
    assert.equal(refused({ type: 'websocket', url: 'wss://x.example' }).split(':')[1], ' websocket.');
    assert.equal(refused({ type: 'sse' }), 'Its entry has no address.');
  });
});

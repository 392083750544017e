import assert from 'node:assert/strict';
import { RegistryClient, type RegistryError, serverOf } from '../../../../../src/features/setup/core/registryClient';
import { choicesOf, NOTHING_CHOSEN } from '../../../../../src/features/setup/core/registryServer';
import { parseInputs } from '../../../../../src/host/settings/inputs';
import { parseServers } from '../../../../../src/host/settings/parseServers';
import { type RegistryFixture, startRegistry } from '../../../../servers/registry';

const never = new AbortController().signal;

describe('the MCP Registry client', () => {
  let registry: RegistryFixture;
  before(async () => {
    registry = await startRegistry();
  });
  after(() => registry.stop());
  const client = (path: string, options = {}) => new RegistryClient(registry.url(path), options);
  const fails = (path: string, code: RegistryError['code'], options = {}) =>
    assert.rejects(client(path, options).search('', undefined, never), (error: RegistryError) => error.code === code);

  it('searches page by page', async () => {
    const good = client('/good/');
    const first = await good.search('server-', undefined, never);
    assert.equal(first.servers.length, 30);
    const second = await good.search('server-', first.cursor, never);
    const third = await good.search('server-', second.cursor, never);
    assert.equal(third.servers.length, 10);
    assert.equal(third.cursor, undefined);
    const names = new Set([...first.servers, ...second.servers, ...third.servers].map(({ name }) => name));
    assert.equal(names.size, 70);
  });

  it('sends the typed query, escaped, and asks for the latest versions', async () => {
    const before = registry.requests.length;
    assert.deepEqual((await client('/good').search('a&b=c', undefined, never)).servers, []);
    assert.deepEqual(registry.requests.slice(before), ['/good/v0.1/servers?limit=30&version=latest&search=a%26b%3Dc']);
  });

  it('lists the versions of a server', async () => {
    const versions = await client('/good').versions('io.github.example/weather-mcp', never);
    assert.deepEqual(
      versions.map(({ version }) => version),
      ['1.1.0', '1.0.0'],
    );
  });

  it('supports the older API, and redirects to another path of the same origin', async () => {
    for (const path of ['/old', '/here'])
      assert.equal((await client(path).search('weather', undefined, never)).servers.length, 1);
  });

  it('reports a misbehaving registry as an error with a code, within bounded time and memory @registryClient.reports-misbehaving', async () => {
    await fails('/500', 'STATUS');
    await fails('/slow', 'TIMEOUT', { timeoutMs: 200 });
    await fails('/huge', 'TOO_LARGE', { maxBytes: 1024 * 1024 });
    await fails('/malformed', 'MALFORMED');
    await fails('/other', 'MALFORMED');
    await fails('/away', 'REDIRECT');
    await fails('/loop', 'REDIRECT');
    await assert.rejects(new RegistryClient('file:///etc').search('', undefined, never), { code: 'BAD_URL' });
    await assert.rejects(new RegistryClient('http://127.0.0.1:1').search('', undefined, never), {
      code: 'UNREACHABLE',
    });
    await assert.rejects(client('/good').versions('no/such', never), { code: 'STATUS' });
  });

  it('stops when no caller waits any more', async () => {
    const cancel = new AbortController();
    const asked = client('/slow').search('', undefined, cancel.signal);
    cancel.abort();
    await assert.rejects(asked, { code: 'CANCELLED' });
  });

  it('leaves out invalid servers', async () => {
    assert.equal((await client('/odd').search('', undefined, never)).servers.length, 1);
  });

  describe("the registry's servers", () => {
    const ways = async () => {
      const { servers } = await client('/good').search('weather', undefined, never);
      const choices = choicesOf(servers[0]!);
      const build = (kind: string, ...optional: string[]) => {
        const draft = choices.find(choice => choice.kind === kind)!.build!({ names: new Set(optional) });
        assert.deepEqual(parseServers({ [draft.name]: draft.entry }).servers[0]?.problems, []);
        assert.deepEqual(parseInputs(draft.inputs).problems, []);
        return draft;
      };
      return { choices, build };
    };

    it('can offer several ways to run; unsupported ones are reported', async () => {
      const { choices } = await ways();
      assert.deepEqual(
        choices.map(({ kind, what, build }) => [kind, what, build !== undefined]),
        [
          ['npm', '@example/weather-mcp@1.1.0', true],
          ['pypi', 'weather-mcp@1.1.0', true],
          ['oci', 'ghcr.io/example/weather-mcp:1.1.0', true],
          ['mcpb', 'https://example.com/weather.mcpb', false],
          ['http', 'https://{tenant}.weather.example/mcp', true],
        ],
      );
      assert.deepEqual(choices[0]!.optional, [
        { name: 'WEATHER_PROXY', description: 'Proxy to use' },
        { name: '--units', description: 'Units (metric)' },
      ]);
    });

    it('run by npx: required values become inputs, masked where declared secret', async () => {
      const { build } = await ways();
      const { name, entry, inputs } = build('npm');
      assert.equal(name, 'weather-mcp');
      assert.deepEqual(entry, {
        command: 'npx',
        args: [
          '-y',
          '@example/weather-mcp@1.1.0',
          '${input:weather-mcp-city}',
          '--cache',
          '${input:weather-mcp-folder}/cache',
        ],
        env: { WEATHER_API_KEY: '${input:weather-mcp-WEATHER_API_KEY}', WEATHER_MODE: 'fast' },
      });
      assert.deepEqual(
        inputs.map(({ id, password, default: byDefault }) => [id, password, byDefault]),
        [
          ['weather-mcp-WEATHER_API_KEY', true, undefined],
          ['weather-mcp-city', false, undefined],
          ['weather-mcp-folder', false, '/tmp'],
        ],
      );
      assert.ok('WEATHER_PROXY' in (build('npm', 'WEATHER_PROXY').entry.env as object));
    });

    it('run by uvx, or by docker with their variables passed on', async () => {
      const { build } = await ways();
      assert.deepEqual(build('pypi').entry, { command: 'uvx', args: ['weather-mcp@1.1.0'] });
      const { entry } = build('oci');
      assert.equal(entry.command, 'docker');
      assert.deepEqual(entry.args, [
        'run',
        '-i',
        '--rm',
        '-v',
        '${input:weather-mcp-data}:/data',
        '-e',
        'WEATHER_API_KEY',
        'ghcr.io/example/weather-mcp:1.1.0',
      ]);
    });

    it('can be remote, with variables in address and headers', async () => {
      const { entry, inputs } = (await ways()).build('http');
      assert.deepEqual(entry, {
        type: 'http',
        url: 'https://${input:weather-mcp-tenant}.weather.example/mcp',
        headers: { Authorization: 'Bearer ${input:weather-mcp-token}' },
      });
      assert.deepEqual(
        inputs.map(({ id, password }) => [id, password]),
        [
          ['weather-mcp-token', true],
          ['weather-mcp-tenant', false],
        ],
      );
    });

    it('cannot inject options or editor variables @registryClient.inject-options-editor', () => {
      const server = (of: object) => ({
        name: 'a/b',
        title: undefined,
        description: '',
        version: '1',
        status: 'active' as const,
        packages: [{ registryType: 'npm', transport: { type: 'stdio' }, ...of }],
        remotes: [],
      });
      for (const identifier of ['-c evil', '--call=evil', 'a b', ''])
        assert.equal(choicesOf(server({ identifier }))[0]!.build, undefined, identifier);
      const environmentVariables = [{ name: 'A', value: '${env:HOME} ${input:other}' }];
      const draft = choicesOf(server({ identifier: 'x', environmentVariables }))[0]!.build!(NOTHING_CHOSEN);
      assert.deepEqual(draft.entry.env, { A: '$${env:HOME} $${input:other}' });
      assert.deepEqual(draft.entry.args, ['-y', 'x']);
    });

    it('can be bundles that are in one file, with its checksum', () => {
      const sha = 'ab'.repeat(32);
      const ways = (of: object) =>
        choicesOf({
          ...{ name: 'a/b', title: undefined, description: '', version: '1', status: 'active', remotes: [] },
          packages: [{ registryType: 'mcpb', identifier: 'https://x.example/a.mcpb', ...of }],
        })[0]!;
      assert.deepEqual(ways({ fileSha256: sha }).bundle, { place: 'https://x.example/a.mcpb', sha256: sha });
      for (const other of [
        {},
        { fileSha256: 'fe' },
        { fileSha256: sha, identifier: '/a.mcpb' },
        { fileSha256: sha, transport: { type: 'sse' } },
      ])
        assert.equal(ways(other).bundle, undefined, JSON.stringify(other));
    });

    it('cannot assemble editor variables from parts @registryClient.assemble-editor-variables', () => {
      const parts = {
        d: { value: '$' },
        e: { value: '{env:HOME}' },
        f: { value: '{g}', variables: { g: { value: '$' } } },
      };
      const [split, nested, own] = ['{d}{e}', '{f}{e}', '\0{env:HOME} {x}'];
      const header = (name: string, value: string) => ({
        name,
        value,
        variables: { ...parts, x: { isRequired: true } },
      });
      const server = {
        name: 'a/b',
        title: undefined,
        description: '',
        version: '1',
        status: 'active' as const,
        packages: [{ registryType: 'npm', identifier: '${env:HOME}', version: '1' }],
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://x.example/{d}{e}',
            variables: parts,
            headers: [header('A', split), header('B', nested), header('C', own)],
          },
        ],
      };
      const [fetched, reached] = choicesOf(server).map(({ build }) => build!(NOTHING_CHOSEN).entry);
      assert.deepEqual(fetched?.args, ['-y', '$${env:HOME}@1']);
      assert.equal(reached?.url, 'https://x.example/$${env:HOME}');
      assert.deepEqual(reached?.headers, { A: '$${env:HOME}', B: '$${env:HOME}', C: '{env:HOME} ${input:b-x}' });
    });
  });
});

const GITHUB = 'io.modelcontextprotocol.registry/publisher-provided';
const details = (server: object, item: object = {}) =>
  serverOf({ server: { name: 'a/b', ...server }, ...item })?.details ?? assert.fail('no server');

describe("the details of a registry's entry", () => {
  it('have pages, icons, dates, stars and readme', async () => {
    const registry = await startRegistry();
    try {
      const client = new RegistryClient(registry.url('/good'));
      const { servers } = await client.search('weather', undefined, new AbortController().signal);
      const { readme, ...others } = servers[0]?.details ?? assert.fail('no details');
      assert.deepEqual(others, {
        website: 'https://weather.example/mcp',
        repository: 'https://github.com/example/weather-mcp',
        icons: [{ src: registry.url('/icons/weather.svg'), sizes: ['any'] }],
        publishedAt: Date.parse('2026-01-01T00:00:00Z'),
        stars: 12_345,
      });
      assert.match(readme ?? '', /^# Weather/);
    } finally {
      await registry.stop();
    }
  });

  it('are read where older registries have them', () => {
    const provided = { [GITHUB]: { github: { stargazer_count: 7, readme: 'x' } } };
    assert.equal(details({}, { _meta: provided }).stars, 7);
    assert.equal(details({ repository: { readme: 'y' } }).readme, 'y');
  });

  it('leave out whatever is malformed or no page', () => {
    for (const url of [
      'javascript:alert(1)',
      'http://x.example/',
      'https://u:p@x.example/',
      'x',
      7,
      `https://x/${'x'.repeat(2_000)}`,
    ])
      assert.deepEqual(details({ websiteUrl: url, repository: { url } }), { icons: [] }, String(url).slice(0, 40));
    for (const stars of [-1, 1.5, '7', Number.MAX_VALUE, null])
      assert.equal(details({ _meta: { [GITHUB]: { github: { stargazerCount: stars } } } }).stars, undefined);
    assert.deepEqual(details({ icons: 'x', repository: 7, _meta: { [GITHUB]: [] } }), { icons: [] });
    assert.deepEqual(details({ icons: [null, { src: 1 }, { src: 'x', sizes: [3] }] }).icons, [{ src: 'x' }]);
  });

  it('are bounded', () => {
    const readme = 'x'.repeat(1_000_000);
    const { icons, readme: kept } = details({
      icons: Array.from({ length: 1_000 }, () => ({ src: 'x' })),
      _meta: { [GITHUB]: { github: { readme } } },
    });
    assert.ok(icons.length <= 8);
    assert.equal(kept?.length, 20_000);
  });
});

import assert from 'node:assert/strict';
import { exportText, plainValues } from '../../../../../src/features/setup/core/exportText';
import { secretsOfEntry } from '../../../../../src/host/secrets/entrySecrets';
import { parseServers } from '../../../../../src/host/settings';

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });

describe('exportText', () => {
  it('writes an mcp.json without secrets, with the inputs that are used', () => {
    const text = exportText([
      {
        name: 'a',
        entry: { command: 'npx -y x', env: { API_TOKEN: TOKEN }, enabled: false, timeouts: { startMs: 5 } },
        inputs: [],
      },
      {
        name: 'r',
        entry: { url: 'https://x.example/mcp', headers: { K: '${input:k}' } },
        inputs: [prompt('k'), prompt('unused')],
      },
      { name: 'a', entry: { command: 'y' }, inputs: [] },
    ]);
    assert.ok(!text.includes(TOKEN));
    const { servers, inputs } = JSON.parse(text);
    assert.deepEqual(servers, {
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { API_TOKEN: '${input:a-API_TOKEN}' } },
      r: { type: 'http', url: 'https://x.example/mcp', headers: { K: '${input:k}' } },
      'a-2': { type: 'stdio', command: 'y' },
    });
    assert.deepEqual(
      inputs.map(({ id }: { id: string }) => id),
      ['a-API_TOKEN', 'k'],
    );
  });

  it('writes a .mcp.json whose variables every host knows', () => {
    const env = {
      API_TOKEN: TOKEN,
      REGION: '${env:REGION:-eu}',
      DB: '${env:DB:-hunter2}',
      HOST: '${env:HOST}',
      K: '${input:k 1}',
    };
    const text = exportText(
      [{ name: 'a', entry: { command: 'x', env }, inputs: [prompt('k 1')] }],
      undefined,
      '.mcp.json',
    );
    assert.ok(!text.includes(TOKEN));
    assert.deepEqual(JSON.parse(text), {
      mcpServers: {
        a: {
          type: 'stdio',
          command: 'x',
          env: { API_TOKEN: '${API_TOKEN}', REGION: '${REGION:-eu}', DB: '${DB}', HOST: '${HOST}', K: '${K_1}' },
        },
      },
    });
  });

  const entries: [what: string, entry: object][] = [
    ['an address among arguments', { command: 'npx', args: ['-y', 'x', 'postgresql://app:S3cr3tPassw0rd@db.x/prod'] }],
    ['an address in a variable', { command: 'x', env: { DATABASE_URL: 'mysql://app:hunter2@db.x/prod' } }],
    [
      'an address after an option',
      { command: 'x', args: ['--dsn', 'amqp://app:pass@db.x', '-e', 'U=redis://:hunter2@h'] },
    ],
    ['a parameter', { command: 'mcp-remote', args: ['https://x.example/mcp?api_key=sommer2024&v=1&sig=winter2025'] }],
    ['a parameter of the address', { url: 'https://x.example/mcp?v=1&token=sommer2024' }],
    [
      'a variable',
      { command: 'x', env: { DB_PASSWORD: 'Sommer2024!', SECRET: 'a b c d e f', PIN_CODE_KEY: 12345678 } },
    ],
    [
      'a header',
      { url: 'https://x.example', headers: { 'X-Api-Key': 'sommer2024', Authorization: 'Bearer winter2025' } },
    ],
    ['options', { command: 'x', args: ['--password', 'sommer2024', '--token=token', '-H', 'X-Api-Key:winter2025'] }],
    [
      'a variable of a container',
      { command: 'docker', args: ['run', '-e', 'API_KEY=sommer2024', '-etoken=winter2025'] },
    ],
    ['a command line', { command: 'npx -y x --token sommer2024 --header "Authorization: Bearer winter2025"' }],
  ];
  for (const [what, entry] of entries) {
    it(`has no secret of ${what} @exportText.secret`, () => {
      const secrets = secretsOfEntry(parseServers({ a: entry }).servers[0]!.entry!).filter(Boolean);
      assert.notEqual(secrets.length, 0);
      const { servers, inputs } = JSON.parse(exportText([{ name: 'a', entry: { ...entry }, inputs: [] }]));
      const names = inputs.map(({ id }: { id: string }) => `\${input:${id}}`) as string[];
      const values = names.reduce(
        (text, name) => text.replaceAll(name, '\0'),
        JSON.stringify(Object.values(servers.a)),
      );
      for (const name of names) assert.ok(JSON.stringify(servers).includes(name), name);
      for (const secret of secrets)
        assert.ok(!values.replaceAll('--token=', '').includes(secret), `${secret} in ${values}`);
    });
  }

  it('leaves other values unchanged', () => {
    const entry = {
      type: 'stdio',
      command: 'docker',
      args: [
        'run',
        '--port=8080',
        '-e',
        'PATH=/usr/bin',
        'auth:latest',
        'ssh://git@github.com/a/b',
        '--key=${env:KEY}',
      ],
      env: { USE_TOKEN: 'true', DATABASE_URL: 'postgres://${env:DB_USER}:${env:DB_PASS}@db/x', GONE_TOKEN: null },
    };
    const all = [{ name: 'a', entry, inputs: [] }];
    const values = plainValues(all);
    assert.deepEqual(
      values.map(({ name, isHarmless, isSecret }) => [name, isHarmless, isSecret]),
      [
        ['USE_TOKEN', true, false],
        ['DATABASE_URL', false, false],
        ['PATH', false, false],
      ],
    );
    const kept = new Set(values.map(({ id }) => id));
    const { servers, inputs } = JSON.parse(exportText(all, kept));
    assert.deepEqual([servers.a, inputs], [entry, undefined]);
  });

  it('omits values of variables and headers, unless the person keeps them @exportText.omits-values-variables', () => {
    const entry = {
      command: 'docker',
      args: ['run', '-e', 'REGION=west', '-eTEAM=blue', '--env=CITY=Bonn', 'image'],
      env: { GREETING: 'Good morning', FAST: 'true', PORT: '8080', FROM_INPUT: '${input:x}' },
    };
    const remote = {
      url: 'https://x.example/mcp',
      headers: { 'X-Team': 'blue', Accept: 'text/html, */*', A: 'Bearer abc' },
    };
    const servers = [
      { name: 'a', entry, inputs: [prompt('x')] },
      { name: 'r', entry: remote, inputs: [] },
    ];
    const exported = (kept?: ReadonlySet<string>) => JSON.parse(exportText(servers, kept)).servers;
    assert.deepEqual(exported(), {
      a: {
        type: 'stdio',
        command: 'docker',
        args: [
          'run',
          '-e',
          'REGION=${input:a-REGION}',
          '-eTEAM=${input:a-TEAM}',
          '--env=CITY=${input:a-CITY}',
          'image',
        ],
        env: { GREETING: '${input:a-GREETING}', FAST: 'true', PORT: '8080', FROM_INPUT: '${input:x}' },
      },
      r: {
        type: 'http',
        url: 'https://x.example/mcp',
        headers: { 'X-Team': '${input:r-X-Team}', Accept: 'text/html, */*', A: 'Bearer ${input:r-A}' },
      },
    });
    const none = exported(new Set());
    assert.deepEqual([none.a.env.FAST, none.r.headers.Accept], ['${input:a-FAST}', '${input:r-Accept}']);
    const team = plainValues(servers).find(({ server, name }) => server === 'r' && name === 'X-Team');
    const one = exported(new Set([team!.id]));
    assert.deepEqual([one.r.headers['X-Team'], one.a.args[3]], ['blue', '-eTEAM=${input:a-TEAM}']);
  });

  it('omits secrets in command lines and JSON arguments, and all values of an unreadable entry @exportText.omits-secrets-command', () => {
    const secret = 'hunter2-blue-cat';
    for (const arg of [
      `export API_KEY="${secret}"; node x`,
      `node x --token ${secret}`,
      `--config={"a":1,"token": "${secret}"}`,
      `fetch -H 'Authorization: Bearer ${secret}' x`,
    ]) {
      const text = exportText([{ name: 'a', entry: { command: 'sh', args: ['-c', arg] }, inputs: [] }]);
      assert.ok(!text.includes(secret), text);
      assert.match(text, /\$\{input:a-/);
    }
    const broken = { url: `https://me:${secret}@mcp.example`, args: [secret], headers: { A: secret } };
    assert.equal(parseServers({ a: broken }).servers[0]?.entry, undefined);
    const text = exportText([{ name: 'a', entry: broken, inputs: [] }]);
    assert.ok(!text.includes(secret) && text.includes('"A"'), text);
  });

  it('omits secrets by shape and place, also repeated ones @exportText.omits-secrets-shape', () => {
    const key = 'dGhpcyBpcyBhIGtleQ8xZq3Lm7Rt9==';
    const hook = 'T02AB3CDE/B04FG5HIJ/k1L2m3N4o5P6q7R8s9T0u1V2';
    const many = Array.from({ length: 30 }, (_, n) => `token${n}=sommer${n}2024`).join('&');
    const secrets = [key, 'k1L2m3N4o5P6q7R8s9T0u1V2', 'sommer', 'hunter2', 'aB3dE5gH7jK9mN1pQ3sT', TOKEN];
    const entry = {
      command: 'x',
      args: [
        `DefaultEndpointsProtocol=https;AccountName=me;AccountKey=${key};EndpointSuffix=core.windows.net`,
        `https://hooks.slack.com/services/${hook}`,
        'host=db user=me password=hunter2-abc',
        `https://x.example/?${many}`,
        'aB3dE5gH7jK9mN1pQ3sT',
        '--seen-before',
        'pghunter2',
      ],
      env: { PGPASSWORD: 'pghunter2', URL: 'https://mcp.example/s/aB3dE5gH7jK9mN1pQ3sT/mcp' },
      cwd: '/home/me/aB3dE5gH7jK9mN1pQ3sT',
    };
    const inputs = [
      { ...prompt('key'), default: key },
      { ...prompt('city'), password: false, default: 'Bonn' },
      { type: 'command', id: 'run', command: 'x.y', args: { token: TOKEN } },
    ];
    const remote = {
      url: 'https://mcp.example/s/aB3dE5gH7jK9mN1pQ3sT/mcp',
      headers: { A: '${input:key}', B: '${input:run}', C: '${input:city}' },
    };
    const servers = [
      { name: 'a', entry, inputs },
      { name: 'r', entry: remote, inputs },
    ];
    const text = exportText(servers);
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
    assert.ok(!text.includes('Bonn'));
    const found = plainValues(servers);
    for (const { value, isSecret } of found)
      assert.ok(isSecret || !secrets.some(secret => value.includes(secret)), value);
    const kept = new Set(found.filter(({ name }) => name === 'city').map(({ id }) => id));
    const { inputs: written } = JSON.parse(exportText(servers, kept));
    const defaults = written.flatMap((input: { default?: string }) => input.default ?? []);
    assert.deepEqual(defaults, ['Bonn']);
  });

  it('separates inputs of several settings files, and shares one within a file', () => {
    const [user, workspace] = [[prompt('token', 'GitHub token')], [prompt('token', 'Linear token')]];
    const entry = (value: string) => ({ command: 'x', env: { API_TOKEN: value } });
    const text = exportText([
      { name: 'gh', entry: entry('${input:token}'), inputs: user },
      { name: 'gh2', entry: entry('${input:token}'), inputs: user },
      { name: 'linear', entry: entry('${input:token}'), inputs: workspace },
      { name: 'same', entry: entry(TOKEN), inputs: user },
      { name: 'same', entry: entry(`${TOKEN}9`), inputs: workspace },
    ]);
    const { servers, inputs } = JSON.parse(text);
    const tokens = Object.entries(servers as Record<string, { env: Record<string, string> }>).map(([name, { env }]) => [
      name,
      env.API_TOKEN,
    ]);
    assert.deepEqual(tokens, [
      ['gh', '${input:token}'],
      ['gh2', '${input:token}'],
      ['linear', '${input:token-2}'],
      ['same', '${input:same-API_TOKEN}'],
      ['same-2', '${input:same-API_TOKEN-2}'],
    ]);
    assert.deepEqual(
      inputs.map(({ id, description }: { id: string; description: string }) => [id, description]),
      [
        ['token', 'GitHub token'],
        ['token-2', 'Linear token'],
        ['same-API_TOKEN', 'API_TOKEN of the MCP server same'],
        ['same-API_TOKEN-2', 'API_TOKEN of the MCP server same'],
      ],
    );
  });
});

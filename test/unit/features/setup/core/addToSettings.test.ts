import assert from 'node:assert/strict';
import { applyEdits, parse } from 'jsonc-parser';
import { addToSettings } from '../../../../../src/features/setup/core/addToSettings';
import { exportText, plainValues } from '../../../../../src/features/setup/core/exportText';
import { placementOf, planAddition, sameServer } from '../../../../../src/features/setup/core/planAddition';
import { secretsToInputs } from '../../../../../src/features/setup/core/secretsToInputs';
import { pairsOf, type ServerDraft, withPairs } from '../../../../../src/features/setup/core/serverDraft';
import { secretsOfEntry } from '../../../../../src/host/secrets/secrets';
import { parseServers } from '../../../../../src/host/settings';

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const draft = (name: string, entry: object, inputs: ServerDraft['inputs'] = []): ServerDraft => ({
  name,
  entry: entry as ServerDraft['entry'],
  inputs,
  values: new Map(),
  notes: [],
});
const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });
const nothing = { servers: {}, inputs: [] };

describe('secrets of servers that are taken over', () => {
  it('become inputs, wherever they stand; their values are nowhere else', () => {
    const safe = secretsToInputs(
      draft('gh', {
        command: 'docker',
        args: ['run', '--token', TOKEN, `--api-key=${TOKEN}`],
        env: { GITHUB_TOKEN: TOKEN, MODE: 'fast', TWO: `${TOKEN} ${TOKEN}` },
      }),
    );
    const written = JSON.stringify([safe.entry, safe.inputs]);
    assert.ok(!written.includes(TOKEN), written);
    assert.deepEqual([...new Set(safe.values.values())], [TOKEN]);
    assert.equal(safe.inputs.length, safe.values.size);
    assert.deepEqual((safe.entry.env as Record<string, string>).GITHUB_TOKEN, '${input:gh-GITHUB_TOKEN}');
    assert.deepEqual((safe.entry.env as Record<string, string>).MODE, 'fast');
  });

  it('in headers, addresses and sign-ins too; the word before one stays', () => {
    const safe = secretsToInputs(
      draft('r', {
        url: `https://x.example/mcp?key=${TOKEN}`,
        headers: { Authorization: `Bearer ${TOKEN}` },
        oauth: { clientId: 'me', clientSecret: 's3cR3tS3cr3tS3cr3tAb12' },
      }),
    );
    assert.deepEqual(safe.entry, {
      url: 'https://x.example/mcp?key=${input:r-key}',
      headers: { Authorization: 'Bearer ${input:r-Authorization}' },
      oauth: { clientId: 'me', clientSecret: '${input:r-clientSecret}' },
    });
  });

  it('are, of what a person types, whatever the name says is secret', () => {
    const typed = draft('a', { command: 'x', env: { DB_PASSWORD: 'hunter2', TOKEN: '${env:T}', PORT: '1' } });
    assert.deepEqual(secretsToInputs(typed).entry, typed.entry);
    const safe = secretsToInputs(typed, { byName: true });
    assert.deepEqual(safe.entry.env, { DB_PASSWORD: '${input:a-DB_PASSWORD}', TOKEN: '${env:T}', PORT: '1' });
    assert.deepEqual([...safe.values], [['a-DB_PASSWORD', 'hunter2']]);
  });

  it('are not what Git is told to run, though its variable has "key" in its name', () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.sshCommand', GIT_CONFIG_VALUE_0: './evil' };
    const entry = { command: 'x', env };
    assert.deepEqual(secretsToInputs(draft('a', entry), { byName: true }).entry, entry);
  });
});

describe('variables and headers that a person may change', () => {
  it('are texts; a variable that is removed stays removed', () => {
    const entry = { command: 'x', env: { A: '1', PORT: 80, GONE: null, BACK: null } };
    const pairs = pairsOf(entry);
    assert.deepEqual(Object.fromEntries(pairs), { A: '1', PORT: '80' });
    pairs.delete('A');
    pairs.set('BACK', 'b');
    assert.deepEqual(withPairs(entry, pairs), { command: 'x', env: { PORT: '80', GONE: null, BACK: 'b' } });
    assert.deepEqual(withPairs({ command: 'x', env: { A: '1' } }, new Map()), { command: 'x' });
    assert.deepEqual(withPairs({ url: 'u' }, new Map([['K', 'v']])), { url: 'u', headers: { K: 'v' } });
  });
});

describe('where a server goes', () => {
  it('is under its name, another when that is taken, or nowhere when it is there', () => {
    const one = draft('a', { command: 'npx', args: ['x'] });
    assert.deepEqual(placementOf(one, nothing), { kind: 'new', name: 'a' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'other' } } }), { kind: 'renamed', name: 'a-2' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': { command: 'p' } } }), {
      kind: 'renamed',
      name: 'a-3',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { type: 'stdio', ...one.entry, enabled: false } } }), {
      kind: 'there',
      name: 'a',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': one.entry } }), {
      kind: 'there',
      name: 'a-2',
    });
    const asks = (id: string) => ({ command: 'x', args: [`\${input:${id}}`] });
    assert.ok(sameServer(draft('a', asks('a')), { entry: asks('b') }));
    assert.ok(!sameServer(draft('a', { command: 'x', args: ['a'] }), { entry: { command: 'x' } }));
  });

  it('is another when the draft brings another value than the one there', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const [old, rotated] = [of(TOKEN), of(`${TOKEN}9`)];
    const { servers, values } = planAddition([old], nothing);
    assert.deepEqual(placementOf(old, { servers, values }), { kind: 'there', name: 'gh' });
    assert.deepEqual(placementOf(rotated, { servers, values }), { kind: 'renamed', name: 'gh-2' });
    // Nobody has entered it yet.
    assert.deepEqual(placementOf(old, { servers }), { kind: 'renamed', name: 'gh-2' });
    // In plain text.
    const plain = { gh: { command: 'x', env: { API_TOKEN: TOKEN } } };
    assert.deepEqual(placementOf(old, { servers: plain }), { kind: 'there', name: 'gh' });
    // A draft that asks for it brings none.
    const asking = draft('gh', { command: 'x', env: { API_TOKEN: '${input:t}' } }, [prompt('t')]);
    assert.deepEqual(placementOf(asking, { servers, values }), { kind: 'there', name: 'gh' });
  });

  it('is not that of the same server with another secret', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const addition = planAddition([of(TOKEN), of(`${TOKEN}9`), of(TOKEN), of(`${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['gh', 'gh-2']);
    assert.deepEqual([...addition.values.values()], [TOKEN, `${TOKEN}9`]);
  });

  it('has inputs of its own where an id is taken by another, and shares one that is the same', () => {
    const entry = { command: 'x', env: { A: '${input:token}', B: '${input:region}' } };
    const addition = planAddition([draft('a', entry, [prompt('token'), prompt('region')])], {
      servers: {},
      inputs: [prompt('token', 'of another'), prompt('region')],
    });
    assert.deepEqual(addition.servers.a, { command: 'x', env: { A: '${input:token-2}', B: '${input:region}' } });
    assert.deepEqual(addition.inputs, [{ ...prompt('token'), id: 'token-2' }]);
  });

  it('is written without inputs that its entry does not name any more: nobody has reviewed them', () => {
    const command = { id: 'made', type: 'command', command: 'evil.run' };
    const addition = planAddition(
      [draft('a', { command: 'x', args: ['${input:token}'] }, [prompt('token'), command])],
      nothing,
    );
    assert.deepEqual(addition.inputs, [prompt('token')]);
  });

  it('never mixes the secrets of two servers', () => {
    const of = (command: string, value: string) => secretsToInputs(draft('s', { command, env: { API_TOKEN: value } }));
    const addition = planAddition([of('one', TOKEN), of('two', `${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['s', 's-2']);
    assert.deepEqual(
      [...addition.values],
      [
        ['s-API_TOKEN', TOKEN],
        ['s-API_TOKEN-2', `${TOKEN}9`],
      ],
    );
    assert.deepEqual(addition.servers['s-2']!.env, { API_TOKEN: '${input:s-API_TOKEN-2}' });
  });

  it('writes the same server only once', () => {
    const one = draft('a', { command: 'x' });
    assert.deepEqual(Object.keys(planAddition([one, one], nothing).servers), ['a']);
  });
});

describe('what is added to a settings file', () => {
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

  it('makes the settings that are not there, in an empty file too, with its line ends', () => {
    for (const text of ['', '{}', '{ "a": 1 }', '// nothing\n{\n}\n']) {
      const value = parse(after(text)!, [], { allowTrailingComma: true });
      assert.deepEqual(value['mcpHost.servers'], addition.servers, text);
    }
    assert.ok(!/(?<!\r)\n/.test(after('{\r\n  "a": 1\r\n}')!));
  });

  it('goes below "settings" of a .code-workspace, and beside what is written nested', () => {
    const workspace = parse(after('{ "folders": [], "settings": {} }', { codeWorkspace: true })!);
    assert.deepEqual(workspace.settings['mcpHost.servers'], addition.servers);
    const nested = parse(after('{ "mcpHost": { "servers": { "a": {} } } }')!);
    assert.deepEqual(Object.keys(nested.mcpHost.servers), ['a', 'b']);
    assert.deepEqual(nested.mcpHost.inputs, addition.inputs);
  });

  it('is nothing where the file is broken, or a setting of another kind', () => {
    for (const text of ['{ "a": ', '{ "mcpHost.servers": [] }', '{ "mcpHost.inputs": {} }', '{ oops }'])
      assert.equal(after(text), undefined, text);
  });
});

describe('an export', () => {
  it('is an mcp.json without a secret, with the inputs that are used', () => {
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
    it(`has no secret of ${what}`, () => {
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

  it('leaves what is no secret as it is', () => {
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

  it('has no value of a variable or a header that the person does not keep', () => {
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

  it('has none of a command line or JSON within an argument, and nothing but names of an entry that can not be read', () => {
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

  it('has no secret that is one by its shape or its place, and none that stands there twice', () => {
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

  it('keeps inputs of several settings files apart, and shares one within a file', () => {
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

import assert from 'node:assert/strict';
import { askForMissing, secretsToInputs } from '../../../../../src/features/setup/core/missingValues';
import { draft } from './drafts';

describe('values that a README leaves open', () => {
  const asked = (entry: object, env: string[] = []) => {
    const draft = { name: 's', entry: { ...entry }, inputs: [], values: new Map(), notes: [] };
    const filled = askForMissing(draft, name => env.includes(name));
    return [filled.entry, filled.inputs.map(({ id, password }) => `${id}${password ? ' masked' : ''}`)];
  };

  it('become inputs: placeholders, empty secrets, variables that the editor lacks', () => {
    assert.deepEqual(
      asked(
        {
          command: 'docker',
          args: ['run', '-e', 'GIVEN', '-e', 'LACKING', '--key=<your key>', '--dir', '/path/to/dir', 'mcp/x'],
          env: { A_TOKEN: 'YOUR_TOKEN', B_KEY: '', MODE: '', C: '${env:HERE}', D: 'x ${env:GONE}', E: 'sk-...' },
        },
        ['HERE', 'GIVEN'],
      ),
      [
        {
          command: 'docker',
          args: ['run', '-e', 'GIVEN', '-e', 'LACKING', '--key=${input:s-key}', '--dir', '${input:s-dir}', 'mcp/x'],
          env: {
            A_TOKEN: '${input:s-A_TOKEN}',
            B_KEY: '${input:s-B_KEY}',
            MODE: '',
            C: '${env:HERE}',
            D: 'x ${input:s-GONE}',
            E: '${input:s-E}',
            LACKING: '${input:s-LACKING}',
          },
        },
        ['s-LACKING', 's-key masked', 's-dir', 's-A_TOKEN masked', 's-B_KEY masked', 's-GONE', 's-E'],
      ],
    );
    assert.deepEqual(asked({ url: 'https://YOUR-HOST/mcp' }), [{ url: 'https://${input:s-url}/mcp' }, ['s-url']]);
    assert.deepEqual(asked({ url: 'https://x.example/mcp', headers: { Authorization: 'Bearer <token>' } }), [
      { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${input:s-Authorization}' } },
      ['s-Authorization masked'],
    ]);
    assert.deepEqual(asked({ command: 'x', args: ['/Users/username/Desktop'] })[1], ['s-argument']);
  });

  it('are asked for by their name, with the placeholder only where it says more', () => {
    const env = {
      API_KEY: 'YOUR_API_KEY',
      GITHUB_TOKEN: '<your github token>',
      TENANT: '<id of your workspace>',
      X: 'xxxx',
    };
    const { inputs } = askForMissing(draft('s', { command: 'x', env }), () => false);
    assert.deepEqual(
      inputs.map(({ description }) => description),
      ['API_KEY', 'GITHUB_TOKEN', 'TENANT (<id of your workspace>)', 'X'],
    );
  });

  it('exclude real values: a path, a version, a variable, an escaped one', () => {
    const entry = {
      command: 'npx',
      args: ['-y', '@my-scope/pkg@1.0', '/home/ada/notes', '$${env:GONE}', '--yourself', 'xxx', 'my-notes', '1...2'],
      env: { URL: 'https://x.example/your-key', NAME: '${input:known}', PATHS: '/opt/path/to/x' },
    };
    assert.deepEqual(asked(entry), [entry, []]);
  });

  it('are found in bounded time', () => {
    for (const part of ['<a', '[your', 'your_', 'x', '/path/to', '${env:', '.'])
      assert.ok(asked({ command: 'x', args: Array.from({ length: 2_000 }, () => part.repeat(1_000 / part.length)) }));
  });
});

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('secretsToInputs', () => {
  it('replaces secrets anywhere by inputs, whose values are stored nowhere else', () => {
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

  it('leaves packages and images with their versions alone', () => {
    const args = [
      ...['weather-mcp@1.0.0', '@example/weather-mcp@1.0.0-beta.2', 'mcp-server-git==2025.1.14'],
      ...['ghcr.io/example/weather-mcp:1.1.0', `example/weather-mcp@sha256:${'0a1b2c3d'.repeat(8)}`],
    ];
    const safe = secretsToInputs(draft('weather', { command: 'uvx', args }), { byName: true });
    assert.deepEqual(safe.entry.args, args);
    const token = secretsToInputs(draft('x', { command: 'x', args: ['Xk29fLq8ZpW3vT7bR1nQ@1.0.0'] }), { byName: true });
    assert.equal(token.values.size, 1, 'what is random without its version');
  });

  it('covers headers, addresses and sign-ins, and keeps the scheme before a token', () => {
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

  it('treats typed values as secret if their name suggests it', () => {
    const typed = draft('a', { command: 'x', env: { DB_PASSWORD: 'hunter2', TOKEN: '${env:T}', PORT: '1' } });
    assert.deepEqual(secretsToInputs(typed).entry, typed.entry);
    const safe = secretsToInputs(typed, { byName: true });
    assert.deepEqual(safe.entry.env, { DB_PASSWORD: '${input:a-DB_PASSWORD}', TOKEN: '${env:T}', PORT: '1' });
    assert.deepEqual([...safe.values], [['a-DB_PASSWORD', 'hunter2']]);
  });

  it('leaves Git\'s own variables with "key" in their names alone', () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.sshCommand', GIT_CONFIG_VALUE_0: './evil' };
    const entry = { command: 'x', env };
    assert.deepEqual(secretsToInputs(draft('a', entry), { byName: true }).entry, entry);
  });
});

import assert from 'node:assert/strict';
import { secretsToInputs } from '../../../../../src/features/setup/core/secretsToInputs';
import { draft } from './drafts';

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

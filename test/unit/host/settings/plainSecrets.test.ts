import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import { english } from '../../../../src/base/phrase';
import { isSecretName } from '../../../../src/base/secretWords';
import { moveSecretToInput } from '../../../../src/features/remedies/core/mendEntry';
import { parseServers, plainSecretHints } from '../../../../src/host/settings';

const RANDOM = 'q7Zt9LmP2xVb4NcR8sWd';
const GITHUB = `ghp_${'a1B2c3D4'.repeat(5)}`;
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abc_DEF-123';

/** Where hints are, in the entry. */
const hints = (entry: object) =>
  plainSecretHints(parseServers({ a: entry }).servers[0]!, false).map(({ path }) => path.slice(1).join('.'));

describe('a plain-text secret in settings', () => {
  const found: [name: string, entry: object, place: string][] = [
    ['by its prefix', { command: 'x', env: { ANY: GITHUB } }, 'env.ANY'],
    [
      'by its prefix within a text',
      { url: 'https://x', headers: { Authorization: `Bearer ${JWT}` } },
      'headers.Authorization',
    ],
    ['by a name and its randomness', { command: 'x', env: { MY_API_KEY: RANDOM } }, 'env.MY_API_KEY'],
    ['in a header with such a name', { url: 'https://x', headers: { 'X-Api-Key': RANDOM } }, 'headers.X-Api-Key'],
    ['in an option', { command: 'x', args: ['-v', `--api-key=${RANDOM}`] }, 'args.1'],
    ['after an option', { command: 'x', args: ['--token', RANDOM] }, 'args.1'],
    ['in an argument by its prefix', { command: 'x', args: [`xoxb-1234567890-${RANDOM}`] }, 'args.0'],
    [
      'in a header given as an argument',
      { command: 'x', args: ['--header', `Authorization: Bearer ${RANDOM}`] },
      'args.1',
    ],
    ['in a header without a space', { command: 'x', args: ['-H', `X-Api-Key:${RANDOM}`] }, 'args.1'],
    ['in a header within its option', { command: 'x', args: [`--header=X-Api-Key: ${RANDOM}`] }, 'args.0'],
    ['in a variable given as an argument', { command: 'docker', args: ['run', '-e', `API_KEY=${RANDOM}`] }, 'args.2'],
    ['in a variable within its option', { command: 'docker', args: [`--env=API_KEY=${RANDOM}`] }, 'args.0'],
    ['in a variable at a short option', { command: 'docker', args: [`-etoken=${RANDOM}`] }, 'args.0'],
    ['as the password of an address', { command: 'x', args: ['postgres://app:S3cr3tPassw0rd@db/prod'] }, 'args.0'],
    ['so in a variable', { command: 'x', env: { DATABASE_URL: 'redis://:S3cr3tPassw0rd@cache' } }, 'env.DATABASE_URL'],
    ['in a parameter of the url', { url: `https://x/mcp?v=1&apiKey=${RANDOM}` }, 'url'],
    [
      'of an identity provider',
      { url: 'https://x', oauth: { identityProvider: { clientId: 'me', clientSecret: RANDOM } } },
      'oauth.identityProvider.clientSecret',
    ],
    ['as AWS has it', { command: 'x', env: { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE' } }, 'env.AWS_ACCESS_KEY_ID'],
  ];
  for (const [name, entry, place] of found) it(`is found ${name}`, () => assert.deepEqual(hints(entry), [place]));

  const fine: [name: string, entry: object][] = [
    ['is only a variable', { command: 'x', env: { TOKEN: '${env:TOKEN}', API_KEY: '${input:key}' } }],
    ['has a variable after its scheme', { url: 'https://x', headers: { Authorization: 'Bearer ${input:token}' } }],
    [
      'is a path or an address',
      { command: 'x', env: { TOKEN_FILE: '/run/secrets/token9', SECRET: '/run/Secrets/t0', AUTH: 'https://a.b/c' } },
    ],
    ['is short or a word', { command: 'x', env: { TOKEN: 'changeme', PASSWORD: 'true', KEY: 'production' } }],
    ['is random under another name', { command: 'x', env: { BUILD: RANDOM }, args: [RANDOM] }],
    [
      'is an argument of another kind',
      {
        command: 'docker',
        args: [
          ...[
            'run',
            '--port=8080',
            '-e',
            'PATH=/usr/bin',
            '--header',
            'Accept: text/html',
            `auth:${RANDOM}`,
            'C:\\Keys\\a',
          ],
          ...[
            '-e',
            'API_KEY=${input:x}',
            '--env=TOKEN=${env:X}',
            '-H',
            'Authorization: Bearer ${input:y}',
            '-e',
            'TOKEN',
          ],
        ],
      },
    ],
    [
      'has no password in its address, or a usual one',
      {
        command: 'x',
        args: [
          ...['postgres://postgres:postgres@localhost/db', 'redis://:password@cache', 'ssh://git@github.com/a/b'],
          ...[
            'postgres://${env:U}:${input:p}@db/x',
            'https://${input:user}@x.example:8080/',
            'https://a.example:80/@scope/b',
          ],
        ],
      },
    ],
    ['is empty or removed', { command: 'x', env: { TOKEN: '', SECRET: null } }],
  ];
  for (const [name, entry] of fine) it(`is not suspected when it ${name}`, () => assert.deepEqual(hints(entry), []));

  it('is recognized by common names @plainSecrets.recognized-common-names', () => {
    for (const name of [
      'TOKEN',
      'apiKey',
      'X-Api-Key',
      'Cookie',
      'DB_PASSWORD',
      'client_secret',
      'Authorization',
      'apikey',
      'GITHUB_PAT',
    ])
      assert.ok(isSecretName(name), name);
    for (const name of [
      'PATH',
      'KEYBOARD',
      'TOKEN_URL',
      'monkey',
      'AUTHOR',
      'TOKENIZER',
      'KEY_ID',
      'PASSWORD_FILE',
      '',
    ])
      assert.ok(!isSecretName(name), name);
  });

  it('is described in its hint, never shown', () => {
    const [server] = parseServers({ a: { command: 'x', env: { ANY: GITHUB } } }).servers;
    const [hint] = plainSecretHints(server!, false);
    assert.match(english(hint!.message), /^"ANY" of server "a" looks like a secret/);
    assert.ok(!JSON.stringify(hint).includes(GITHUB));
    const [inSharedFile] = plainSecretHints(server!, true);
    assert.deepEqual([hint?.severity, inSharedFile?.severity], ['hint', 'warning']);
  });
});

describe('moving a secret to an input', () => {
  /** The file after the move. */
  function move(text: string, path: (string | number)[], options = {}) {
    const moved = moveSecretToInput(text, path, options);
    assert.ok(moved, 'nothing was moved');
    const { offset, length, content } = moved.edit;
    const result = text.slice(0, offset) + content + text.slice(offset + length);
    return { ...moved, result };
  }

  it('keeps comments and formatting, and adds the input', () => {
    const text = `{
    // mine
    "mcpHost.servers": {
        "git hub": { "command": "x", "env": { "TOKEN": "${GITHUB}" /* old */ } }, // one
    },
    "other": 1
}`;
    const { result, value, input } = move(text, ['git hub', 'env', 'TOKEN']);
    assert.equal(value, GITHUB);
    assert.equal(input.id, 'git-hub-TOKEN');
    assert.ok(!result.includes(GITHUB));
    for (const kept of ['    // mine\n', '/* old */', ', // one\n', '    "other": 1'])
      assert.ok(result.includes(kept), `${kept} is gone from\n${result}`);
    const settings = parse(result);
    assert.equal(settings['mcpHost.servers']['git hub'].env.TOKEN, '${input:git-hub-TOKEN}');
    assert.deepEqual(settings['mcpHost.inputs'], [
      { type: 'promptString', id: 'git-hub-TOKEN', description: 'TOKEN of the MCP server git hub', password: true },
    ]);
    assert.match(result, /\n {4}"mcpHost\.inputs": \[\n {8}\{/);
  });

  it('takes only the secret part of a longer value, and a free id', () => {
    const settings = {
      'mcpHost.inputs': [{ type: 'promptString', id: 'a-Authorization' }],
      'mcpHost.servers': { a: { url: 'https://x', headers: { Authorization: ` Bearer ${JWT}` } } },
    };
    const { result } = move(JSON.stringify(settings, null, '\t'), ['a', 'headers', 'Authorization']);
    const after = parse(result);
    assert.equal(after['mcpHost.servers'].a.headers.Authorization, ' Bearer ${input:a-Authorization-2}');
    assert.deepEqual(
      after['mcpHost.inputs'].map(({ id }: { id: string }) => id),
      ['a-Authorization', 'a-Authorization-2'],
    );
    assert.ok(result.includes('\n\t\t{'), result);
  });

  it('takes the secret at its place, not equal text before it', () => {
    const args = ['postgres://S3cr3tApp:S3cr3tApp2@db/S3cr3tApp2', 'mysql://p4ssw0rd1x:p4ssw0rd1@db'];
    const text = JSON.stringify({ 'mcpHost.servers': { a: { command: 'x', args } } });
    const after = (index: number) => parse(move(text, ['a', 'args', index]).result)['mcpHost.servers'].a.args[index];
    assert.equal(after(0), 'postgres://S3cr3tApp:${input:a-password}@db/S3cr3tApp2');
    assert.equal(after(1), 'mysql://p4ssw0rd1x:${input:a-password}@db');
  });

  it('writes into the settings of a code-workspace, and beside nested settings', () => {
    const servers = { a: { command: 'x', args: [`--key=${RANDOM}`] } };
    const workspace = move(
      JSON.stringify({ folders: [], settings: { 'mcpHost.servers': servers } }),
      ['a', 'args', 0],
      {
        codeWorkspace: true,
      },
    );
    assert.equal(parse(workspace.result).settings['mcpHost.inputs'].length, 1);
    assert.equal(parse(workspace.result).settings['mcpHost.servers'].a.args[0], '--key=${input:a-key}');
    const nested = parse(move(JSON.stringify({ mcpHost: { servers } }), ['a', 'args', 0]).result);
    assert.equal(nested.mcpHost.inputs.length, 1);
    assert.equal(nested['mcpHost.inputs'], undefined);
  });

  it('does nothing when the secret is gone, or inputs are no list', () => {
    const text = (token: string, inputs: unknown) =>
      JSON.stringify({ 'mcpHost.servers': { a: { command: 'x', env: { TOKEN: token } } }, 'mcpHost.inputs': inputs });
    assert.equal(moveSecretToInput(text('${env:X}', []), ['a', 'env', 'TOKEN'], {}), undefined);
    assert.equal(moveSecretToInput(text(GITHUB, {}), ['a', 'env', 'TOKEN'], {}), undefined);
    assert.equal(moveSecretToInput('{', ['a', 'env', 'TOKEN'], {}), undefined);
  });
});

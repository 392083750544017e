import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host';
import { shellLine } from '../../../../src/host/launch/processGroup';
import { parseServers, programIn, withProgram } from '../../../../src/host/settings';
import { helperCommand } from '../../../../src/host/settings/entryTexts';

const url = 'https://mcp.example/mcp';

describe('the line of a program that prints headers', () => {
  const POSIX: [line: string, words: string[] | 'shell'][] = [
    ['/opt/bin/get-headers.sh', ['/opt/bin/get-headers.sh']],
    ['/opt/bin/get-headers.sh team/one --all=yes', ['/opt/bin/get-headers.sh', 'team/one', '--all=yes']],
    ['  print "a b" \'$c\' ', ['print', 'a b', '$c']],
    ['"${workspaceFolder}/my tools/get" ${input:team}', ['${workspaceFolder}/my tools/get', '${input:team}']],
    ['echo \'{"Authorization": "Bearer ${input:token}"}\'', ['echo', '{"Authorization": "Bearer ${input:token}"}']],
    ['echo \'{"Authorization": "Bearer \'"$(get-token)"\'"}\'', 'shell'],
    ['python get.py || python3 get.py', 'shell'],
    ['get "$TOKEN"', 'shell'],
    ['get $${TOKEN}', 'shell'],
    ['get `id`', 'shell'],
    ['~/bin/get', 'shell'],
    ['get *', 'shell'],
    ['get\nget', 'shell'],
    ['get "a', 'shell'],
    ['get a\\ b', 'shell'],
    ['A=b get', 'shell'],
    ['. ./env', 'shell'],
    ['exec get', 'shell'],
  ];
  for (const [line, words] of POSIX)
    it(`is ${words === 'shell' ? 'for a shell' : 'run without a shell'}: ${JSON.stringify(line)}`, () => {
      const [command, ...args] = words === 'shell' ? ['/bin/sh', '-c', line] : words;
      assert.deepEqual(helperCommand(line, 'linux'), { command, args });
    });

  it('is for the shell of Windows with what that knows', () => {
    const run = (line: string) => helperCommand(line, 'win32');
    assert.deepEqual(run('C:\\tools\\get.cmd --all'), { command: 'C:\\tools\\get.cmd', args: ['--all'] });
    for (const line of ['echo {}', 'get %TOKEN%', 'get | more', "get 'a'"])
      assert.deepEqual(run(line), { command: 'cmd.exe', args: ['/d', '/s', '/c', line] });
  });

  it('reaches the shell of Windows as it is', () => {
    assert.deepEqual(shellLine('C:\\Windows\\System32\\cmd.exe', ['/d', '/s', '/c', 'echo {"a": "b"}']), [
      '/d',
      '/s',
      '/c',
      '"echo {"a": "b"}"',
    ]);
    for (const args of [
      ['/c', 'x'],
      ['/d', '/s', '/c'],
      ['/d', '/s', '/c', 'x', 'y'],
      ['-d', '/s', '/c', 'x'],
    ])
      assert.equal(shellLine('cmd.exe', args), undefined, String(args));
    assert.equal(shellLine('node.exe', ['/d', '/s', '/c', 'x']), undefined);
  });

  it('never linear only by luck: a long one is read at once', () => {
    for (const line of ['a '.repeat(50_000), `"${'a'.repeat(50_000)}`, "'".repeat(50_001), '${'.repeat(20_000)])
      assert.ok(helperCommand(line, 'linux').command);
  });
});

describe('a program that prints headers, in an entry', () => {
  const read = (headersHelper: unknown, more: object = { url }) =>
    parseServers({ one: { ...more, headersHelper } }).servers[0]!;
  const problems = (headersHelper: unknown, more?: object) =>
    read(headersHelper, more).problems.map(({ message }) => english(message));

  it('is a line, or an object with fields of a program', () => {
    const helper = { command: 'get', args: ['a'], env: { A: '1' }, cwd: 'sub', sandbox: { network: [] } };
    assert.deepEqual(read(helper).entry, { ...read('x').entry, headersHelper: helper });
    assert.deepEqual(read({ command: 'get' }).entry, read('get').entry);
    assert.deepEqual(problems({ command: 'get', argz: [] }), ['"argz" is unknown and ignored. Did you mean "args"?']);
  });

  it('is checked, in words', () => {
    for (const wrong of [7, [], {}, '', null, { command: 7 }]) {
      const [said = ''] = problems(wrong);
      assert.match(
        said,
        /^"headersHelper" must be a command line, or an object with a "command", but /,
        JSON.stringify(wrong),
      );
      assert.equal(read(wrong).entry, undefined);
    }
    assert.deepEqual(problems('get', { command: 'x' }), [
      '"headersHelper" does not apply to this type of server and is ignored. Remove it.',
    ]);
  });

  it('puts no value into a line for a shell that would read it as code @helperLine.puts-value-line', () => {
    for (const line of ['get ${input:token} | jq .', 'get "${env:TOKEN}" $(id)', 'cat ${workspaceFolder}/a | jq .'])
      assert.match(problems(line)[0] ?? '', /^"headersHelper" is run by a shell, which would read the values of/);
    assert.deepEqual(problems('get $${env:TOKEN} | jq .'), []);
    assert.deepEqual(problems('get ${input:token}'), []);
    assert.deepEqual(problems({ command: 'sh', args: ['-c', 'get $T'], env: { T: '${input:token}' } }), []);
  });

  const defined = (headersHelper: unknown, scope: 'user' | 'workspace', isTrusted = true) => {
    const folder = resolve('/work');
    const variables = {
      workspaceFolder: folder,
      workspaceFolders: { work: folder },
      userHome: homedir(),
      env: (name: string) => (name === 'TEAM' ? 'blue' : undefined),
      config: () => undefined,
    };
    const value = { one: { url, headersHelper } };
    const inputs = [{ type: 'promptString', id: 'token', description: 'x' }];
    const origin = { source: { scope }, value, inputs, variables, isTrusted, ownFolders: resolve('/own') };
    return resolveDefinitions([origin]).definitions[0]!;
  };

  it('runs where a program of such settings does, with variables and inputs filled in', () => {
    const ofWorkspace = defined('./get ${env:TEAM} ${input:token}', 'workspace');
    const program = programIn(ofWorkspace.entry!)!;
    assert.equal(program.command, resolve('/work/get'));
    assert.deepEqual(program.args, ['blue', '${input:token}']);
    assert.equal(program.cwd, resolve('/work'));
    assert.deepEqual(ofWorkspace.inputs?.places, [{ id: 'token', path: ['headersHelper', 'args', 1], index: 0 }]);
    const ofUser = defined('get', 'user');
    assert.match(programIn(ofUser.entry!)!.cwd!, /[\\/]own[\\/]one-/);
    assert.equal(ofUser.place.inOwnFolder, true);
    assert.equal(programIn(defined('./get', 'user').entry!)!.command, join(homedir(), 'get'));
    assert.equal(programIn(defined('get', 'workspace', false).entry!)!.cwd, homedir());
    assert.equal(programIn(defined({ command: 'get', cwd: '/work/sub' }, 'user').entry!)!.cwd, resolve('/work/sub'));
    assert.equal(defined({ command: 'get', cwd: '/work/sub' }, 'user').leadsIntoWorkspace, true);
    const { leadsInto, entry } = defined({ command: 'get', cwd: '${input:token}' }, 'user');
    const inWorkspace = { ...programIn(entry!)!, cwd: resolve('/work/sub') };
    assert.deepEqual([leadsInto?.(entry!), leadsInto?.(withProgram(entry!, () => inWorkspace))], [false, true]);
  });

  it('is a part of what is launched: a change of it is another launch', () => {
    const fingerprints = ['get', 'get a', { command: 'get', env: { A: '1' } }].map(
      helper => defined(helper, 'workspace').fingerprint,
    );
    assert.equal(new Set(fingerprints).size, 3);
  });

  it('has its secrets struck out', () => {
    const { secrets } = defined(
      { command: 'get', args: ['--token', 'abc12345xyz'], env: { PASSWORD: 'tiger12345' } },
      'user',
    );
    assert.ok(secrets.includes('abc12345xyz') && secrets.includes('tiger12345'));
  });
});

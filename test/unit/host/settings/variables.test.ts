import assert from 'node:assert/strict';
import { sep } from 'node:path';
import { english } from '../../../../src/base/phrase';
import {
  parseServers,
  resolveVariables,
  type ServerEntry,
  SettingsBudget,
  type VariableContext,
} from '../../../../src/host/settings';

const CONTEXT: VariableContext = {
  workspaceFolder: '/projects/app',
  workspaceFolders: [
    ['app', '/projects/app'],
    ['my lib', '/projects/my lib'],
  ],
  userHome: '/home/me',
  execPath: '/usr/bin/editor',
  extensionFolder: id => (id === 'a.b' ? '/extensions/a.b-1.0.0' : undefined),
  env: name => ({ TOKEN: 'secret', NESTED: '${userHome}', DOLLAR: '$& $1 $$', EMPTY: '', LINES: 'a\nb' })[name],
  config: key => ({ 'a.text': 'x', 'a.number': 5, 'a.flag': false, 'a.list': ['x'], 'a.null': null })[key],
};

function resolve(raw: object, context: Partial<VariableContext> = {}) {
  const { entry, problems } = parseServers({ a: raw }).servers[0]!;
  assert.ok(entry, JSON.stringify(problems));
  return resolveVariables(entry, { ...CONTEXT, ...context }, new SettingsBudget().meter());
}

/** What `text` becomes as the only argument, with all problems as text. */
function argument(text: string, context: Partial<VariableContext> = {}): [text: string, ...problems: string[]] {
  const { entry, problems } = resolve({ command: 'x', args: [text] }, context);
  assert.ok(entry.type === 'stdio');
  for (const { path } of problems) assert.deepEqual(path, ['args', 0]);
  return [entry.args[0]!, ...problems.map(({ severity, message }) => `${severity}: ${english(message)}`)];
}

describe('variables of a server entry', () => {
  const resolved: Record<string, string> = {
    '${workspaceFolder}/x': '/projects/app/x',
    '${workspaceRoot}/x': '/projects/app/x',
    '${workspaceFolder:my lib}/x': '/projects/my lib/x',
    '${workspaceFolderBasename}.db': 'app.db',
    '${userHome}': '/home/me',
    '${execPath}': '/usr/bin/editor',
    '${extensionInstallFolder:a.b}/x': '/extensions/a.b-1.0.0/x',
    '--token=${env:TOKEN}': '--token=secret',
    '${env:EMPTY}': '',
    '${env:TOKEN:-other}': 'secret',
    '${env:EMPTY:-a: b-}c': 'a: b-c',
    '${env:NO_SUCH:-}c': 'c',
    '${config:a.text}${config:a.number}${config:a.flag}': 'x5false',
    '${/}${pathSeparator}': sep + sep,
    'no variable $HOME {x} $ {y} $': 'no variable $HOME {x} $ {y} $',
    '${unclosed': '${unclosed',
    '$${userHome}': '${userHome}',
    '$${foo}': '${foo}',
    '$$${userHome}': '$${userHome}',
  };
  for (const [text, expected] of Object.entries(resolved)) {
    it(`are resolved: ${text}`, () => assert.deepEqual(argument(text), [expected]));
  }

  it('are resolved once: values are not resolved again', () => {
    assert.deepEqual(argument('${env:NESTED} ${env:DOLLAR}'), ['${userHome} $& $1 $$']);
  });

  it('are resolved in every value of a program', () => {
    const raw = {
      command: '${userHome}/x',
      args: ['a', '${userHome}'],
      env: { '${userHome}': '${userHome}', NO: null },
      envFile: '${userHome}/.env',
      cwd: '${userHome}',
    };
    const { entry, problems } = resolve(raw);
    assert.deepEqual(problems, []);
    assert.ok(entry.type === 'stdio');
    assert.equal(entry.command, '/home/me/x');
    assert.deepEqual(entry.args, ['a', '/home/me']);
    assert.deepEqual(entry.env, { '${userHome}': '/home/me', NO: null });
    assert.equal(entry.envFile, '/home/me/.env');
    assert.equal(entry.cwd, '/home/me');
  });

  it('are resolved in the url and headers of a remote server', () => {
    const { entry, problems } = resolve({ url: 'https://x/${env:TOKEN}', headers: { A: 'Bearer ${env:TOKEN}' } });
    assert.deepEqual(problems, []);
    assert.ok(entry.type === 'http');
    assert.equal(entry.url, 'https://x/secret');
    assert.deepEqual(entry.headers, { A: 'Bearer secret' });
  });

  it('leave the original entry unchanged', () => {
    const { entry } = parseServers({ a: { command: 'x', args: ['${userHome}'] } }).servers[0]!;
    const before = structuredClone(entry);
    resolveVariables(entry!, CONTEXT, new SettingsBudget().meter());
    assert.deepEqual(entry, before);
  });

  it('list the settings used, each once, also those without a value', () => {
    const raw = {
      command: 'x',
      args: ['${config:a.text}', '${config:a.text}', '${config:none}', '$${config:escaped}'],
    };
    assert.deepEqual(resolve(raw).configKeys, ['a.text', 'none']);
  });

  it('may name folders given as an object', () => {
    const workspaceFolders = { lib: '/lib' };
    assert.deepEqual(argument('${workspaceFolder:lib}', { workspaceFolders }), ['/lib']);
    const [, problem] = argument('${workspaceFolder:constructor}', { workspaceFolders });
    assert.match(problem!, /^error: .*not open.*"lib"/);
  });

  it('of a missing environment variable become empty, with a warning', () => {
    const [text, problem] = argument('a${env:NONE}b');
    assert.equal(text, 'ab');
    assert.match(problem!, /^warning: \$\{env:NONE\} is empty: .* Set it and restart the editor\.$/);
  });

  const wrong: Record<string, RegExp> = {
    '${foo}':
      /^error: \$\{foo\} is not a variable\. The variables are \$\{workspaceFolder\}.*\$\{\/\}\. For the literal text, write \$\$\{foo\}\.$/,
    '${}': /^error: \$\{\} is not a variable/,
    '${constructor}': /^error: .* is not a variable/,
    '${env}': /^error: .* is not a variable/,
    '${workspaceFolder:none}': /^error: .* not open\. The open folders are: "app", "my lib"\.$/,
    '${extensionInstallFolder:c.d}': /^error: .* names an extension that is not installed or not enabled/,
    '${config:a.list}': /^error: .*is not a text, a number, or true or false/,
    '${config:a.null}': /^error: .*has no value/,
    '${config:none}': /^error: .*has no value/,
    '${input:token}':
      /^error: \$\{input:token\} is not defined\. Add it to "mcpHost\.inputs" in the same settings file\.$/,
  };
  for (const [text, expected] of Object.entries(wrong)) {
    it(`with errors stay unresolved: ${text}`, () => {
      const [left, problem, ...more] = argument(text);
      assert.equal(left, text);
      assert.match(problem!, expected);
      assert.deepEqual(more, []);
    });
  }

  it('require a folder for ${workspaceFolder}', () => {
    const none = { workspaceFolder: undefined, workspaceFolders: {} };
    assert.match(
      argument('${workspaceFolder}', none)[1]!,
      /^error: .*no folder is open\. Open a folder, or enter a path\.$/,
    );
    const several = { workspaceFolder: undefined };
    assert.match(argument('${workspaceFolder}', several)[1]!, /^error: .*Use \$\{workspaceFolder:name\}/);
  });

  it('are all reported, each at its place in the entry', () => {
    const { problems } = resolve({ command: 'x', args: ['${a}', '${b}${c}'], env: { A: '${d}' } });
    assert.deepEqual(
      problems.map(({ path }) => path.join('.')),
      ['args.0', 'args.1', 'args.1', 'env.A'],
    );
  });

  it('must not make a url or header invalid', () => {
    const entry = { url: '${env:TOKEN}', headers: { A: '${env:LINES}' } };
    const { problems } = resolve(entry);
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [
        ['error', 'url'],
        ['error', 'headers', 'A'],
      ],
    );
    assert.match(english(problems[0]!.message), /^After its variables are resolved: "url" is not an address/);
    assert.ok(!JSON.stringify(problems).includes('secret'));
  });

  it('must not leave a command empty', () => {
    const { problems } = resolve({ command: '${env:EMPTY}' });
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [['error', 'command']],
    );
  });

  it('take linear time', () => {
    // What looked for the end of each again would take hours.
    const { entry } = parseServers({ a: { command: 'x' } }).servers[0]!;
    for (const text of ['${'.repeat(2_000_000), '$'.repeat(2_000_000), '${userHome}'.repeat(200_000)])
      resolveVariables({ ...entry!, args: [text] } as ServerEntry, CONTEXT, () => {});
  });
});

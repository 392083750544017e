import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import { english } from '../../../../src/base/phrase';
import { type ConfiguredServers, resolveDefinitions } from '../../../../src/host';
import { serverIds, settlePaths } from '../../../../src/host/definition/definition';
import { parseServers } from '../../../../src/host/settings';

const user = { scope: 'user' } as const;
const workspace = { scope: 'workspace' } as const;
const folder = (path: string, name = path.slice(path.lastIndexOf('/') + 1)) =>
  ({ scope: 'workspaceFolder', folder: { name, path } }) as const;
const named = (name: string, source: ConfiguredServers['source']) => ({ name, source });

describe('server ids', () => {
  it('are the name, or name@folder in a multi-root workspace', () => {
    const servers = [
      named('a', user),
      named('a', workspace),
      named('a', folder('/x/app')),
      named('a', folder('/x/lib')),
    ];
    assert.deepEqual(serverIds(servers), ['a', 'a', 'a@app', 'a@lib']);
  });

  it('are never shared by folders of one name: each includes its parent folder, in any order @serverIds.shared-folders-name', () => {
    const servers = [named('a', folder('/one/app')), named('a', folder('/two/app'))];
    assert.deepEqual(serverIds(servers), ['a@app (one)', 'a@app (two)']);
    assert.deepEqual(serverIds(servers.toReversed()), ['a@app (two)', 'a@app (one)']);
    // Only of servers that both have: the others are who they were.
    assert.deepEqual(serverIds([...servers, named('b', folder('/two/app'))])[2], 'b@app');
  });

  it('use the path to distinguish folders whose parents have one name too', () => {
    const paths = ['/p/one/app', '/q/one/app', '/r/two/app'];
    const ids = serverIds(paths.map(path => named('a', folder(path))));
    assert.equal(new Set(ids).size, 3);
    assert.match(ids[0]!, /^a@app \(one [\da-f]{12}\)$/);
    assert.equal(ids[2], 'a@app (two)');
    assert.deepEqual(serverIds(paths.toReversed().map(path => named('a', folder(path)))), ids.toReversed());
  });

  it('cannot be taken by a similar-looking name @serverIds.taken-similar-looking', () => {
    const inFolder = named('files', folder('/one/app'));
    // A person's own server keeps its name, in which what was allowed is kept.
    assert.deepEqual(serverIds([named('files@app', user), inFolder]), ['files@app', 'files@app (one)']);
    assert.deepEqual(serverIds([inFolder, named('files@app', workspace)]), ['files@app (one)', 'files@app']);
    const all = [
      named('files@app', user),
      named('files@app (one)', user),
      inFolder,
      named('files', folder('/two/app')),
      named('files@app', folder('/x/lib')),
      named('files', folder('/y/lib', 'app@lib')),
    ];
    const ids = serverIds(all);
    assert.equal(new Set(ids).size, all.length, String(ids));
    assert.deepEqual(ids.slice(0, 2), ['files@app', 'files@app (one)']);
  });

  it('keep two servers of equally named folders apart, each running in its own', () => {
    const variables = { workspaceFolders: [], userHome: '/home/me', env: () => undefined, config: () => undefined };
    const { definitions } = resolveDefinitions(
      ['/one/app', '/two/app'].map(path => ({
        source: folder(path),
        value: { files: { command: 'x' } },
        variables: { ...variables, workspaceFolder: path },
      })),
    );
    assert.deepEqual(
      definitions.map(({ id, name, entry }) => [id, name, entry?.type === 'stdio' && entry.cwd]),
      [
        ['files@app (one)', 'files', '/one/app'],
        ['files@app (two)', 'files', '/two/app'],
      ],
    );
  });

  it('require one folder: a variable that matches several is an error', () => {
    const { definitions } = resolveDefinitions([
      {
        source: user,
        value: { a: { command: 'x', args: ['${workspaceFolder:app}'] }, b: { command: '${workspaceFolder:lib}/x' } },
        variables: {
          workspaceFolders: [
            ['app', '/one/app'],
            ['app', '/two/app'],
            ['lib', '/lib'],
          ],
          userHome: '/home/me',
          env: () => undefined,
          config: () => undefined,
        },
      },
    ]);
    assert.equal(definitions[0]?.entry, undefined);
    assert.match(
      english(definitions[0]!.problems[0]!.message),
      /^\$\{workspaceFolder:app\} names several open folders\./,
    );
    assert.ok(definitions[1]?.entry);
  });
});

describe('the paths of an entry on Windows', () => {
  const rules = { platform: 'win32', path: win32 } as const;
  const settled = (value: object, base: string, saysCwd = false) => {
    const entry = parseServers({ one: value }).servers[0]?.entry;
    assert.equal(entry?.type, 'stdio');
    const { command, cwd, envFile } = settlePaths(entry!, { base, saysCwd }, undefined, rules) as typeof entry & object;
    return { command, cwd, envFile };
  };

  it('start at the folder of its settings, on a drive or a share, with either separator', () => {
    const entry = { command: './bin/run', cwd: 'sub', envFile: '.env' };
    assert.deepEqual(settled(entry, 'C:\\Users\\me'), {
      command: 'C:\\Users\\me\\bin\\run',
      cwd: 'C:\\Users\\me\\sub',
      envFile: 'C:\\Users\\me\\.env',
    });
    assert.deepEqual(settled(entry, '\\\\server\\share\\work', true), {
      command: '\\\\server\\share\\work\\sub\\bin\\run',
      cwd: '\\\\server\\share\\work\\sub',
      envFile: '\\\\server\\share\\work\\.env',
    });
    assert.equal(settled({ command: '..\\run.cmd' }, 'C:\\work\\app').command, 'C:\\work\\run.cmd');
  });

  it('stay where they are absolute, also long ones', () => {
    const long = `\\\\?\\C:\\${'folder\\'.repeat(60)}run.exe`;
    for (const command of ['D:\\tools\\run.exe', '\\\\server\\tools\\run.exe', long, 'npx'])
      assert.equal(settled({ command }, 'C:\\work').command, command);
  });
});

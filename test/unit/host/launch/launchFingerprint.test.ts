import assert from 'node:assert/strict';
import { resolveDefinitions } from '../../../../src/host';

describe('The launch by which approvals know a server', () => {
  const launchOf = (
    entry: object,
    folder = '/work',
    { scope = 'user', ...more }: { env?: string; config?: string; scope?: 'user' | 'workspace' } = {},
  ) => {
    const { definitions } = resolveDefinitions([
      {
        source: { scope },
        ownFolders: '/folders',
        value: { notes: entry },
        inputs: [{ type: 'promptString', id: 'token', password: true }],
        variables: {
          workspaceFolder: folder,
          workspaceFolders: { work: folder },
          userHome: '/home/me',
          env: () => more.env ?? 'one',
          config: () => more.config ?? 'one',
          hasInput: () => true,
        },
      },
    ]);
    return definitions[0]!.launch;
  };
  it('is made in no time, also of a package with a version of 100,000 letters @launchFingerprint.made-time-package', () => {
    const args = ['-y', `notes@1.0${'v'.repeat(100_000)}!`];
    assert.ok(launchOf({ command: 'npx', args }, '/work', { scope: 'workspace' }));
  });

  const program = { command: 'notes', args: ['--all'], env: { A: '1' } };

  it('changes with everything that decides what runs, and with nothing else', () => {
    const launch = launchOf(program);
    for (const change of [
      { command: 'other' },
      { args: [] },
      { args: ['--all', '-x'] },
      { env: { A: '2' } },
      { env: {} },
      { cwd: '/elsewhere' },
      { envFile: '/x/.env' },
    ])
      assert.notEqual(launchOf({ ...program, ...change }), launch, JSON.stringify(change));
    for (const change of [
      { enabled: false },
      { start: 'never' },
      { logLevel: 'debug' },
      { timeouts: { startMs: 5 } },
    ]) {
      assert.equal(launchOf({ ...program, ...change }), launch, JSON.stringify(change));
    }
    const remote = { url: 'https://a.example/mcp', headers: { A: '1' } };
    for (const change of [{ url: 'https://b.example/mcp' }, { headers: { A: '2' } }, { type: 'sse' }]) {
      assert.notEqual(launchOf({ ...remote, ...change }), launchOf(remote), JSON.stringify(change));
    }
  });

  it('has no values of variables of the environment and of inputs, but those of settings', () => {
    const entry = { ...program, env: { A: '${env:A}', B: '${input:token}' } };
    assert.equal(launchOf(entry, '/work', { env: 'two' }), launchOf(entry));
    const configured = { ...program, args: ['${config:x}'] };
    assert.notEqual(launchOf(configured, '/work', { config: 'two' }), launchOf(configured));
  });

  it('is the same in every folder, unless the folder affects what runs', () => {
    const looking = [
      { command: './notes' },
      { command: 'bin/notes' },
      { command: '/usr/bin/python3', args: ['-m', 'notes'] },
      { command: 'uv', args: ['run', 'server.py'] },
      { command: 'npx', args: ['-y', './notes'] },
      { command: 'uvx', args: ['--from', '.', 'notes'] },
      { command: 'sh', args: ['-c', 'node x & npx -y notes'] },
    ];
    const relative = [
      { command: 'node', args: ['server.js'] },
      { command: 'notes', args: ['./config.json'] },
      { command: 'notes', args: ['--config=../x'] },
    ];
    const named = [
      { command: 'notes', args: ['${workspaceFolder}/x'] },
      { command: 'notes', cwd: '${workspaceFolder}' },
    ];
    for (const entry of [
      program,
      { command: '/opt/notes' },
      { command: 'npx', args: ['-y', 'notes'] },
      { command: 'uvx', args: ['notes'] },
      { command: 'docker', args: ['run', 'notes'] },
      { command: 'node', args: ['/opt/notes.js'], cwd: '/opt' },
      { url: 'https://a.example/mcp' },
      // Those of the person start at their home folder, and run in a folder of their own.
      ...looking,
      ...relative,
    ])
      assert.equal(launchOf(entry, '/one'), launchOf(entry, '/two'), JSON.stringify(entry));
    for (const entry of named) assert.notEqual(launchOf(entry, '/one'), launchOf(entry, '/two'), JSON.stringify(entry));
    for (const entry of [...looking, ...relative, ...named]) {
      const [one, two] = ['/one', '/two'].map(folder => launchOf(entry, folder, { scope: 'workspace' }));
      assert.notEqual(one, two, JSON.stringify(entry));
    }
  });
});

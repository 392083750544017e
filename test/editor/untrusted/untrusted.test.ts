import * as assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { waitFor } from '../../servers/spawn';
import { api, configure, fixture, logged, reaches } from '../window';

const inWorkspace = (name: string) => join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, name);

describe('a workspace that is not trusted', () => {
  before(() => assert.equal(vscode.workspace.isTrusted, false));
  afterEach(() => configure(undefined));

  it('starts nothing of its settings: they are not even looked at', async () => {
    const { servers } = await api();
    await waitFor(() => servers.phase === 'empty', { what: 'settings to be read' });
    await configure({ mine: fixture('hostile') });
    await reaches('mine', 'ready');
    assert.deepEqual(
      servers.all.map(({ id }) => id),
      ['mine'],
    );
    assert.ok(!existsSync(inWorkspace('evil')));
  });

  it('is not the folder that a server of the user runs in: what lies in it could decide what is run', async () => {
    await configure({ mine: fixture('hostile') });
    const { definition } = await reaches('mine', 'ready');
    assert.equal(definition.entry?.type === 'stdio' && definition.entry.cwd, homedir());
  });

  it('gives the servers of the user no value of its settings', async () => {
    const entry = fixture('hostile');
    await configure({ mine: { ...entry, env: { ...entry.env, VALUE: '${config:editor.wordSeparators}' } } });
    const { definition } = await reaches('mine', 'ready');
    const value = definition.entry?.type === 'stdio' ? definition.entry.env.VALUE : undefined;
    assert.ok(value && !value.includes('from the workspace'), String(value));
  });

  it('shares none of its folders as roots, whatever the settings of the user say', async () => {
    const roots = ['${workspaceFolder}', inWorkspace('')];
    await configure({ all: fixture('hostile', '--roots'), listed: { ...fixture('hostile', '--roots'), roots } });
    for (const id of ['all', 'listed']) {
      await reaches(id, 'ready');
      await logged(id, /"roots": ?\[\]|it sees these roots: none/);
      assert.doesNotMatch(await logged(id, /roots/), /it sees these roots: file/);
    }
  });

  it('keeps a server of the user from starting whose folder, program or envFile lies in it', async () => {
    writeFileSync(inWorkspace('.env'), 'NODE_OPTIONS=--require ./evil.cjs');
    await configure({
      cwd: { ...fixture('hostile'), cwd: '${workspaceFolder}' },
      envFile: { ...fixture('hostile'), cwd: tmpdir(), envFile: '${workspaceFolder}/.env' },
      command: { command: '${workspaceFolder}/run.sh', args: [] },
      argument: { ...fixture('hostile', '--tools=2'), env: { ELECTRON_RUN_AS_NODE: '1', DATA: '${workspaceFolder}' } },
    });
    for (const id of ['cwd', 'envFile', 'command']) {
      const { state } = await reaches(id, 'needsTrust');
      assert.ok('error' in state);
      assert.match(
        state.error.message,
        new RegExp(`its "${id}" is in this workspace, which is not trusted\\. Trust the`),
      );
    }
    await reaches('argument', 'ready');
  });
});

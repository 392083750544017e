import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fixturePath, waitFor } from '../../servers/spawn';
import { allow, api, configure, eventually, fixture, loads, logged, problemsIn, raw, reaches } from '../window';

describe('a workspace of several folders', () => {
  after(() => configure(undefined));

  it('runs the servers of each folder beside each other, each in its folder', async () => {
    process.env.TEST_NODE = process.execPath;
    process.env.TEST_FIXTURE = fixturePath('hostile');
    await configure({ mine: fixture('content') });
    for (const folder of vscode.workspace.workspaceFolders!) {
      await allow(`files@${folder.name}`);
      const server = await loads(`files@${folder.name}`);
      const { entry } = server.definition;
      assert.equal(entry?.type === 'stdio' && entry.cwd, folder.uri.fsPath);
      assert.equal(server.name, 'files');
    }
  });

  it('shares all its folders as roots', async () => {
    const server = await loads('mine');
    const result = await raw(server).request('call list-roots', (client, options) =>
      client.callTool({ name: 'list-roots' }, options),
    );
    for (const { uri } of vscode.workspace.workspaceFolders!)
      assert.ok(JSON.stringify(result).includes(uri.toString()));
  });

  it('tells servers of the legacy era when a folder is removed', async () => {
    await configure({ mine: fixture('hostile', '--roots') });
    await loads('mine');
    const beta = vscode.workspace.workspaceFolders![1]!;
    assert.ok(vscode.workspace.updateWorkspaceFolders(1, 1));
    const { servers } = await api();
    await waitFor(() => servers.get('files@beta') === undefined, { what: 'the servers of the removed folder to go' });
    await waitFor(() => vscode.workspace.updateWorkspaceFolders(1, 0, { uri: beta.uri, name: 'beta' }), {
      what: 'it to be added again',
    });
    await loads('files@beta');
  });

  it('shares a single folder by its name, and announces when it disappears and returns', async () => {
    const [alpha, beta] = vscode.workspace.workspaceFolders!;
    assert.deepEqual([alpha?.name, beta?.name], ['alpha', 'beta']);
    await configure({ named: { ...fixture('hostile', '--roots'), roots: ['${workspaceFolder:beta}'] } });
    const server = await loads('named');
    const { state } = server;
    await logged('named', /roots shared with it: file:\S*beta$/m);
    assert.doesNotMatch(await logged('named', /roots shared with it/), /roots shared with it: .*alpha/);
    assert.ok(vscode.workspace.updateWorkspaceFolders(1, 1));
    await logged('named', /roots shared with it: none/);
    await waitFor(() => vscode.workspace.updateWorkspaceFolders(1, 0, { uri: beta!.uri, name: 'beta' }), {
      what: 'it to be added again',
    });
    await logged('named', /roots shared with it: none[\s\S]*roots shared with it: file:\S*beta/);
    assert.equal(server.state, state, 'no restart');
    const { servers } = await api();
    await waitFor(() => servers.get('files@beta'), { what: 'its servers to come back' });
  });

  it('separates two folders of one name: each has a server, an id and a consent @multiroot.separates-two-folders', async () => {
    const before = vscode.workspace.workspaceFolders!.map(({ uri, name }) => ({ uri, name }));
    const alpha = before[0]!.uri;
    const twin = vscode.Uri.joinPath(alpha, '..', 'twins', 'alpha');
    await vscode.workspace.fs.copy(alpha, twin, { overwrite: true });
    const { servers, trust } = await api();
    try {
      assert.ok(vscode.workspace.updateWorkspaceFolders(2, 0, { uri: twin, name: 'alpha' }));
      const parent = alpha.path.split('/').at(-2);
      const ids = [`files@alpha (${parent})`, 'files@alpha (twins)'];
      await waitFor(() => ids.every(id => servers.get(id)), { what: () => servers.all.map(({ id }) => id).join() });
      assert.equal(servers.get('files@alpha'), undefined, 'what was allowed to the first holds for neither');
      await reaches(ids[0]!, 'needsTrust');
      await allow(ids[1]!);
      await loads(ids[1]!);
      assert.equal((await reaches(ids[0]!, 'needsTrust')).state.kind, 'needsTrust', 'the consent is the other one’s');
      const allowed = trust().consents.all.map(({ server }) => server);
      assert.ok(allowed.includes(ids[1]!) && !allowed.includes(ids[0]!));
    } finally {
      await waitFor(() => vscode.workspace.updateWorkspaceFolders(2, 1), { what: 'the twin to be removed' });
    }
    await loads('files@alpha');
  });

  it('squiggles a bad entry in the .code-workspace file', async () => {
    await reaches('shared', 'failed');
    const file = vscode.workspace.workspaceFile!;
    const document = await vscode.workspace.openTextDocument(file);
    await eventually(() =>
      assert.deepEqual(
        problemsIn(file).map(({ range }) => document.getText(range)),
        ['"command"'],
      ),
    );
  });
});

import * as assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { asksLess } from '../../src/editor/chats';
import { isActedOn } from '../../src/editor/openedAs';
import { machineValue } from '../../src/editor/settingValues';
import { isDrawnByWorkspace } from '../../src/features/review/wholePage';
import { parseInputs } from '../../src/host/settings';
import { waitFor } from '../servers/spawn';
import { allow, api, configure, eventually, fixture, reaches, setting } from './window';

describe('settings of a remote machine, which a devcontainer.json may write', () => {
  let file: string;
  before(async function () {
    if (vscode.env.remoteName === undefined) this.skip(); // a window of the desktop has none
    file = resolve((await api()).context.globalStorageUri.fsPath, '../../../Machine/settings.json');
    mkdirSync(dirname(file), { recursive: true });
  });
  afterEach(async () => {
    if (file === undefined) return;
    onMachine({});
    // While the machine has servers, the editor writes there what is meant for the user.
    await waitFor(() => machineValue(vscode.workspace.getConfiguration('mcpHost').inspect('servers')) === undefined, {
      what: 'the editor to read the file',
    });
    await configure(undefined);
    const { servers } = await api();
    await waitFor(() => servers.all.length === 0, { what: 'the servers to go' });
    const { consents } = (await api()).trust();
    for (const consent of consents.all) await consents.revoke(consent);
  });
  /** Writes the file, as the editor does for a container. */
  const onMachine = (settings: object) => writeFileSync(file, JSON.stringify(settings));

  it('start no server without consent, and change none of the person’s without consent @machineSettings.start-server-consent', async () => {
    await configure({ mine: fixture('hostile'), mixed: fixture('hostile') });
    await reaches('mixed', 'ready');
    onMachine({ 'mcpHost.servers': { theirs: fixture('hostile'), mixed: { env: { MORE: 'x' } } } });
    for (const id of ['theirs', 'mixed']) {
      const { definition } = await reaches(id, 'needsTrust');
      assert.deepEqual([definition.source, definition.fromWorkspace], [{ scope: 'machine' }, true]);
    }
    const mine = await reaches('mine', 'ready');
    assert.deepEqual([mine.definition.source, mine.definition.fromWorkspace], [{ scope: 'user' }, false]);
    await allow('theirs');
    await reaches('theirs', 'ready');
  });

  it('get no value of the person’s inputs, and redefine none of them @machineSettings.get-value-person', async () => {
    const { inputs } = (await api()).trust();
    const token = { type: 'promptString', id: 'token', description: 'A token', password: true };
    await setting('inputs', [token]);
    try {
      const entry = { ...fixture('hostile'), env: { ...fixture('hostile').env, TOKEN: '${input:token}' } };
      await inputs.store({ scope: 'user' }, parseInputs([token]).inputs.get('token')!, 'secret-of-the-person');
      await configure({ mine: entry });
      await reaches('mine', 'ready');
      const evil = { type: 'command', id: 'token', command: 'test.input' };
      onMachine({ 'mcpHost.servers': { theirs: entry }, 'mcpHost.inputs': [evil] });
      await reaches('theirs', 'needsTrust');
      assert.deepEqual(
        (await reaches('mine', 'ready')).definition.inputs?.definitions.map(({ type }) => type),
        ['promptString'],
      );
      onMachine({ 'mcpHost.servers': { theirs: entry } });
      await eventually(async () => {
        const { definition } = await reaches('theirs', 'needsTrust');
        assert.deepEqual(
          definition.inputs?.definitions.map(({ type }) => type),
          ['promptString'],
        );
        assert.equal((await inputs.missing(definition)).length, 1);
      });
    } finally {
      await inputs.forget(new Set(inputs.saved.map(({ key }) => key)));
      await setting('inputs', undefined);
    }
  });

  it('fill no value into an entry of the person’s without consent @machineSettings.fill-value-entry', async () => {
    await configure({ mine: { ...fixture('hostile'), cwd: '${config:test.folder}' } });
    await reaches('mine', 'failed');
    onMachine({ 'test.folder': '/' });
    assert.equal((await reaches('mine', 'needsTrust')).definition.fromWorkspace, true);
  });

  it('do not decide about telemetry, sign-ins, approvals, pins, data flow, the sandbox and sharing with agents @machineSettings.decide-telemetry-sign', async () => {
    const decisive = {
      openTelemetry: { endpoint: 'https://evil.example' },
      'signIn.identityProvider': { issuer: 'https://evil.example' },
      'signIn.clientMetadataUrl': 'https://evil.example/client.json',
      sandbox: 'all',
      pins: 'off',
      flow: 'off',
      'approvals.skipReadOnly': true,
      shareWithAgents: true,
      projectFile: 'off',
    };
    const read = (key: string) => vscode.workspace.getConfiguration('mcpHost').get(key);
    onMachine(Object.fromEntries(Object.entries(decisive).map(([key, value]) => [`mcpHost.${key}`, value])));
    // That one is for anybody to decide, and says that the file was read.
    await waitFor(() => read('projectFile') === 'off', { what: 'the file to be read' });
    const { projectFile: _, ...others } = decisive;
    for (const [key, value] of Object.entries(others)) assert.notDeepEqual(read(key), value, key);
  });

  it('silence no question, and choose neither editors for what servers send nor how it is drawn @machineSettings.silence-question', async () => {
    const state = { get: () => undefined, update: async () => {} } as unknown as Parameters<typeof asksLess>[0];
    const uri = vscode.Uri.file('/a.txt');
    const acts = () => [
      asksLess(state),
      isActedOn('/a.odd', { server: 'content' }),
      isActedOn('/a.txt', { server: 'content' }),
      isDrawnByWorkspace(uri),
    ];
    assert.deepEqual(acts(), [false, false, false, false]);
    onMachine({
      'chat.permissions.default': 'autoApprove',
      'workbench.editorAssociations': { '*.odd': 'vscode.markdown.preview.editor' },
      'files.associations': { '*.txt': 'markdown.odd' },
      'editor.fontSize': 1,
    });
    await waitFor(() => acts().every(Boolean), { what: 'the settings of the machine' });
    onMachine({});
    await waitFor(() => !acts().some(Boolean), { what: 'the settings to be gone' });
  });
});

import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SecretVault, storageKey } from '../../src/base/secretVault';
import { Auth } from '../../src/features/auth/auth';
import { InputValues } from '../../src/features/trust/inputValues';
import { SecretOwners } from '../../src/features/trust/secretOwners';
import type { ServerDefinition } from '../../src/host/definition';
import { parseInputs } from '../../src/host/settings';

const source = { scope: 'workspace' } as const;
const input = parseInputs([{ type: 'promptString', id: 'token' }]).inputs.get('token')!;
const server = { name: 'one', source, inputs: { definitions: [input], places: [] } } as unknown as ServerDefinition;
const RESOURCE = 'https://one.example/mcp';

describe('secrets of a workspace on a remote machine', () => {
  let folders: string[];
  /** The editor's secret storage, which all machines share. */
  let stored: Map<string, string>;
  before(function () {
    if (vscode.env.remoteName === undefined) this.skip(); // there is one machine
  });
  beforeEach(() => {
    [folders, stored] = [[], new Map()];
  });
  afterEach(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const secrets = {
    get: async (key: string) => stored.get(key),
    store: async (key: string, value: string) => void stored.set(key, value),
    delete: async (key: string) => void stored.delete(key),
  };

  /** The extension on a machine. */
  function machine() {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-host-machine-'));
    folders.push(folder);
    const state = new Map<string, unknown>();
    const memento = {
      get: <T>(key: string) => state.get(key) as T,
      update: async (key: string, value: unknown) => void state.set(key, value),
    };
    const context = { secrets, globalStorageUri: vscode.Uri.file(folder), extension: { id: 'x' } };
    const none = () => assert.fail('nothing is asked');
    return {
      folder,
      inputs: new InputValues(new SecretVault(secrets), memento as never, new SecretOwners(folder)),
      auth: new Auth(context as never, none, none, { clientMetadataUrl: undefined }),
    };
  }

  it('are not those of the same path on another machine, and are found again in the next window @secretOwners.path-machine-found', async () => {
    const [one, other] = [machine(), machine()];
    await one.inputs.store(source, input, 'mine');
    await one.auth.write(server, RESOURCE, 'tokens');
    assert.deepEqual([...(await other.inputs.valuesOf(server)).values()], []);
    assert.equal(await other.auth.read(server, RESOURCE), undefined);
    assert.notEqual(other.auth.keyOf(server, RESOURCE), one.auth.keyOf(server, RESOURCE));
    const owners = new SecretOwners(one.folder);
    assert.equal(storageKey('mcpHost.input', ...owners.of(source), 'token'), one.inputs.keyOf(source, 'token'));
  });

  it('of the user settings are the same on all machines @secretOwners.user-settings-machines', async () => {
    const [one, other] = [machine(), machine()];
    assert.equal(one.inputs.keyOf({ scope: 'user' }, 'token'), other.inputs.keyOf({ scope: 'user' }, 'token'));
  });

  it('that an earlier version kept for the path on any machine are asked for again @secretOwners.earlier-version-kept', async () => {
    const one = machine();
    const unnamed = (key: string) => {
      const parts = JSON.parse(key.slice(key.indexOf('['))) as string[];
      return [key.slice(0, key.indexOf('[')), parts.filter((_, index) => index !== 2)] as const;
    };
    await one.inputs.store(source, input, 'mine');
    await one.auth.write(server, RESOURCE, 'tokens');
    for (const [key, value] of [...stored]) {
      const [kind, parts] = unnamed(key);
      stored.set(storageKey(kind.trim() as never, ...parts), value);
      stored.set([kind.trim(), ...parts].join(' '), value);
      stored.delete(key);
    }
    assert.deepEqual([...(await one.inputs.valuesOf(server)).values()], []);
    assert.equal(await one.auth.read(server, RESOURCE), undefined);
  });
});

import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SecretVault, type StorageKey, storageKey } from '../../src/base/secretVault';
import { Auth } from '../../src/features/auth/auth';
import { InputValues } from '../../src/features/trust/extensionStorage';
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

  /** The extension on a machine. @param isOlder whether an earlier version was used there */
  function machine(isOlder = false) {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-host-machine-'));
    folders.push(folder);
    if (isOlder) mkdirSync(join(folder, 'audit'));
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

  it('are not those of the same path on another machine, and are found again in the next window', async () => {
    const [one, other] = [machine(), machine()];
    await one.inputs.store(source, input, 'mine');
    await one.auth.write(server, RESOURCE, 'tokens');
    assert.deepEqual([...(await other.inputs.valuesOf(server)).values()], []);
    assert.equal(await other.auth.read(server, RESOURCE), undefined);
    assert.notEqual(other.auth.keyOf(server, RESOURCE), one.auth.keyOf(server, RESOURCE));
    const owners = new SecretOwners(one.folder);
    assert.equal(storageKey('mcpHost.input', ...owners.of(source), 'token'), one.inputs.keyOf(source, 'token'));
  });

  it('of the user settings are the same on all machines', async () => {
    const [one, other] = [machine(), machine()];
    assert.equal(one.inputs.keyOf({ scope: 'user' }, 'token'), other.inputs.keyOf({ scope: 'user' }, 'token'));
  });

  it('that an earlier version kept go to machines on which it was used, and to no new one', async () => {
    const [older, fresh] = [machine(true), machine()];
    const before = new SecretOwners(older.folder).before(source)!;
    assert.equal(new SecretOwners(fresh.folder).before(source), undefined);
    await older.inputs.store(source, input, 'mine');
    const key = older.inputs.keyOf(source, 'token');
    stored.set(storageKey('mcpHost.input', ...before, 'token'), stored.get(key)!);
    stored.delete(key);
    const signIn = older.auth.keyOf(server, RESOURCE) as string;
    const hash = (JSON.parse(signIn.slice(signIn.indexOf('['))) as string[]).at(-1)!;
    stored.set(storageKey('mcpHost.auth', ...before, 'one', hash) as StorageKey, 'tokens');
    assert.deepEqual([...(await fresh.inputs.valuesOf(server)).values()], []);
    assert.equal(await fresh.auth.read(server, RESOURCE), undefined);
    assert.deepEqual([...(await older.inputs.valuesOf(server)).values()], ['mine']);
    assert.deepEqual(
      older.inputs.saved.map(one => one.key),
      [key],
    );
    await older.inputs.forget(new Set([key]));
    assert.deepEqual([...(await older.inputs.valuesOf(server)).values()], []);
    assert.equal(await older.auth.read(server, RESOURCE), 'tokens');
    assert.equal(stored.get(signIn), 'tokens');
  });
});

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { asksLess } from '../../src/editor/chats';
import { OWN_SETTINGS } from '../../src/editor/ownSettings';
import { settingValue } from '../../src/editor/settingValues';
import { waitFor } from '../servers/spawn';

const file = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');
/** Of a workspace about which nothing is kept yet. */
const state = () => ({ get: () => undefined, update: async () => {} }) as Parameters<typeof asksLess>[0];
const read = (key: string) => vscode.workspace.getConfiguration('mcpHost').inspect(key);
const lensesAre = (value: boolean) =>
  waitFor(() => vscode.workspace.getConfiguration('mcpHost').get('codeLens') === value, { what: 'the settings' });

describe('the value of a setting', () => {
  let before: Uint8Array;
  beforeEach(async () => {
    before = await vscode.workspace.fs.readFile(file());
  });
  afterEach(async () => {
    await vscode.workspace.fs.writeFile(file(), before);
    await lensesAre(true);
  });

  it("is the person's own where no workspace counts, also if that writes several as one object", async () => {
    const written: Record<string, unknown> = { codeLens: false };
    for (const key of OWN_SETTINGS) {
      const [name = '', inner] = key.split('.');
      if (inner === undefined) written[name] = 'of the workspace';
      else written[name] = { ...Object(written[name]), [inner]: 'of the workspace' };
    }
    await vscode.workspace.fs.writeFile(
      file(),
      Buffer.from(JSON.stringify({ mcpHost: written, 'mcpHost.codeLens': false })),
    );
    await lensesAre(false);
    for (const key of OWN_SETTINGS) {
      const { globalValue, defaultValue } = read(key) ?? {};
      assert.deepEqual(settingValue(key), globalValue ?? defaultValue, key);
      assert.notEqual(settingValue(key), 'of the workspace', key);
    }
    assert.equal(settingValue('codeLens'), false);
  });

  it('of the workspace that has the editor ask less is seen, if the editor heeds it', async () => {
    const write = async (chat: Record<string, unknown>) => {
      const text = JSON.stringify({ ...chat, 'mcpHost.codeLens': false });
      await vscode.workspace.fs.writeFile(file(), Buffer.from(text));
      await lensesAre(false);
      const isSeen = asksLess(state());
      await vscode.workspace.fs.writeFile(file(), before);
      await lensesAre(true);
      return isSeen;
    };
    assert.equal(asksLess(state()), false);
    assert.equal(
      await write({ 'chat.tools.terminal.autoApprove': { ls: true }, 'chat.permissions.default': 'default' }),
      false,
    );
    assert.equal(await write({ 'chat.permissions.default': 'autoApprove' }), true);
    assert.equal(await write({ chat: { tools: { autoApprove: { echo: true } } } }), true);
  });
});

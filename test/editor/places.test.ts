import * as assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { api, configure, consent, fixture, reaches } from './window';

describe('the working folder of user servers in a trusted workspace', () => {
  afterEach(() => configure(undefined));

  it('is a folder of their own, but the workspace folder if their cwd says so and the person allows it @places.folder-workspace-folder', async () => {
    const { context } = await api();
    const folders = vscode.Uri.joinPath(context.globalStorageUri, 'folders').fsPath;
    const workspace = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    const folder = mkdtempSync(join(tmpdir(), 'places-'));
    const { command, args, env } = fixture('hostile');
    const npx = join(folder, process.platform === 'win32' ? 'npx.cmd' : 'npx');
    writeFileSync(npx, process.platform === 'win32' ? `@"${command}" %*\r\n` : `#!/bin/sh\nexec '${command}' "$@"\n`);
    chmodSync(npx, 0o755);
    try {
      const ofWorkspace = { command, args, env, cwd: '${workspaceFolder}' };
      await configure({ plain: { command, args, env }, package: { command: npx, args, env }, ofWorkspace });
      await consent('ofWorkspace');
      const cwdOf = async (id: string) => {
        const { entry } = (await reaches(id, 'ready')).definition;
        return (entry?.type === 'stdio' && entry.cwd) || '';
      };
      assert.equal(await cwdOf('ofWorkspace'), workspace);
      const [plain, package_] = [await cwdOf('plain'), await cwdOf('package')];
      assert.notEqual(plain, package_);
      for (const own of [plain, package_]) {
        assert.equal(dirname(own), folders);
        assert.deepEqual(readdirSync(own), ['package.json']);
      }
    } finally {
      await configure(undefined);
      rmSync(folder, { recursive: true });
    }
  });
});

import * as assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { api, configure, fixture, reaches } from './window';

describe('the working folder of user servers in a trusted workspace', () => {
  afterEach(() => configure(undefined));

  it('is the workspace folder, but an empty folder of the extension for package managers', async () => {
    const { context } = await api();
    const empty = vscode.Uri.joinPath(context.globalStorageUri, 'empty').fsPath;
    const folder = mkdtempSync(join(tmpdir(), 'places-'));
    const { command, args, env } = fixture('hostile');
    const npx = join(folder, process.platform === 'win32' ? 'npx.cmd' : 'npx');
    writeFileSync(npx, process.platform === 'win32' ? `@"${command}" %*\r\n` : `#!/bin/sh\nexec '${command}' "$@"\n`);
    chmodSync(npx, 0o755);
    try {
      await configure({ plain: { command, args, env }, package: { command: npx, args, env } });
      const cwdOf = async (id: string) => {
        const { entry } = (await reaches(id, 'ready')).definition;
        return entry?.type === 'stdio' ? entry.cwd : undefined;
      };
      assert.equal(await cwdOf('plain'), vscode.workspace.workspaceFolders![0]!.uri.fsPath);
      assert.equal(await cwdOf('package'), empty);
      assert.deepEqual(readdirSync(empty), ['package.json']);
    } finally {
      await configure(undefined);
      rmSync(folder, { recursive: true });
    }
  });
});

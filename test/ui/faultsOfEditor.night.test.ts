// What happens to the editor itself while servers run: its extension host is killed, the extension is updated and uninstalled.
import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../drivers/dom';
import { runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { Tag } from '../servers/tagged';
import { remove, temporaryFolder } from '../setup/paths';
import { productVsix } from '../setup/vsix';
import { zipEntries } from '../setup/zip';
import { writeZip } from '../unit/features/bundles/core/zipBytes';

describe('an editor with servers that run', () => {
  let w: Workbench;
  let tag: Tag;
  let home: string;
  const open = async () => {
    tag = new Tag();
    home = temporaryFolder();
    const asker = { command: process.execPath, args: [fixturePath('hostile'), '--elicit'], env: tag.env };
    // A home and folders for sockets of its own.
    const run = join(home, 'run');
    mkdirSync(run);
    w = await openWorkbench({
      workspace: 'editor',
      env: { HOME: home, XDG_RUNTIME_DIR: run, TMPDIR: run },
      settings: { 'mcpHost.servers': { asker } },
    });
    await w.wb.viewContainer('MCP');
    await isReady();
  };
  const isReady = () => w.wb.tree('Servers').row('asker').filter({ hasText: 'tools' }).waitFor();
  const close = async () => {
    await w?.close();
    remove(home);
  };
  /** Has the server ask for a name in the middle of a call. */
  const asks = async () => {
    await runTool(w, 'ask-secret');
    await w.wb.webview().getByRole('heading', { name: 'MCP server "asker" asks for input' }).waitFor();
  };
  const questions = () => w.page.locator('.tab', { hasText: 'asks for input' });
  /** The servers that ran before have ended, and one of each runs now. */
  const isReplaced = async (before: readonly number[]) => {
    await isReady();
    await waitFor(() => tag.processes().every(pid => !before.includes(pid)), { what: 'the processes before to end' });
    assert.equal(tag.processes().length, before.length);
  };

  describe('and a question of one is open', () => {
    before(open);
    after(close);

    it('has the server again after a reload, and neither the question nor a process of before @faultsOfEditor.server-reload-neither', async () => {
      await asks();
      const before = tag.processes();
      await w.reload();
      await w.wb.viewContainer('MCP');
      await isReplaced(before);
      await eventually(async () => assert.equal(await questions().count(), 0));
      await asks();
    });

    it('has the server again after the extension host was killed in its call, and neither the question nor a process of before @faultsOfEditor.server-extension-host', async () => {
      const before = tag.processes();
      await w.killHost();
      await isReplaced(before);
      await eventually(async () => assert.equal(await questions().count(), 0));
      await asks();
    });
  });

  describe('and is to have another version of the extension, or none', () => {
    before(open);
    after(close);
    const version = () =>
      w.host.eval(vscode => vscode.extensions.getExtension('mcp-host.mcp-host')?.packageJSON.version);

    it('has the new version after a reload, with the servers, and no process of the version before @faultsOfEditor.new-version-reload', async () => {
      const before = tag.processes();
      const vsix = await newerVsix(home);
      await w.host.eval(
        (vscode, file) =>
          vscode.commands.executeCommand('workbench.extensions.installExtension', vscode.Uri.file(file)),
        vsix,
      );
      assert.deepEqual(tag.processes(), before);
      await w.reload();
      await w.wb.viewContainer('MCP');
      await isReplaced(before);
      assert.equal(await version(), '99.0.0');
    });

    it('has no process and no socket after it was uninstalled, and the files that docs/platforms.md names @faultsOfEditor.process-socket', async () => {
      await w.host.command('workbench.extensions.uninstallExtension', 'mcp-host.mcp-host');
      await w.reload();
      assert.equal(await version(), null);
      await waitFor(() => tag.processes().length === 0, { what: 'the processes to end' });
      const data = join(w.server.logsDir, '..');
      const ours = [...filesIn(home), ...filesIn(data)].filter(file => /(^|\/|\.)mcp-host/.test(file));
      // Storage and logs, both in the editor's own folder.
      const named = /^(User\/globalStorage|User\/workspaceStorage\/[^/]+|logs\/[^/]+\/[^/]+)\/mcp-host\.mcp-host(\/|$)/;
      assert.deepEqual(
        ours.filter(file => !named.test(file)),
        [],
      );
    });
  });
});

const filesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];

/** The product, with a version that is newer than any. */
async function newerVsix(folder: string): Promise<string> {
  const entries = zipEntries(readFileSync(await productVsix())).map(({ name, content }) => {
    const isManifest = name === 'extension/package.json' || name === 'extension.vsixmanifest';
    return { name, content: isManifest ? newer(content().toString()) : content() };
  });
  const vsix = join(folder, 'newer.vsix');
  writeZip(vsix, entries);
  return vsix;
}

/** The first version that a manifest names is its own. */
const newer = (manifest: string): string =>
  manifest.replace(/(?<="version": ?"|<Identity [^>]*Version=")[^"]+/, '99.0.0');

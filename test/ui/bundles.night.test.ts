import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { remove, temporaryFolder } from '../setup/paths';
import { officialBundle } from '../unit/features/bundles/core/officialBundle';

const TOKEN = 'a token that is secret';

describe('a bundle', () => {
  const folder = temporaryFolder();
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor' });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    remove(folder);
  });

  const pack = (version: string, manifest = {}) => {
    const at = join(folder, version);
    mkdirSync(at, { recursive: true });
    return officialBundle('everything', at, { version, manifest });
  };
  const page = () => w.wb.webview();
  const press = (name: string) => page().getByRole('button', { name, exact: true }).click();
  /** As the Explorer's context menu does. Not awaited: it ends when the bundle is installed. */
  const install = (path: string) =>
    w.host.eval((vscode, file) => {
      void vscode.commands.executeCommand('mcpHost.installBundle', vscode.Uri.file(file));
    }, path);
  const row = () => w.wb.tree('Servers').row('sample-everything');
  const entry = () =>
    w.host.eval(vscode => {
      const servers = vscode.workspace.getConfiguration('mcpHost').get<Record<string, unknown>>('servers');
      return servers?.['sample-everything'] as { args: string[]; env: Record<string, string> } | undefined;
    });

  it('is shown whole, asks for its options, and runs as an ordinary entry @bundles.shown-whole-asks', async () => {
    await install(await pack('1.0.0'));
    await page().getByText('Install the bundle "Sample everything"?').waitFor();
    await page().getByText('"entry_point"').first().waitFor();
    await page().getByText('Not signed').waitFor();
    await w.picture('bundle-review');
    await press('Continue');
    await page().getByLabel('Access token').fill(TOKEN);
    await page().getByLabel('Greeting').fill('Good day');
    await w.picture('bundle-form');
    await assertAccessibleInThemes(w, 'bundle-form');
    await useTheme(w, 'Default Light Modern');
    await press('Continue');
    const { text, detail } = await w.wb.modal();
    assert.match(text, /Add the MCP server "sample-everything" and allow it to start\?/);
    assert.match(detail, /GREETING = "Good day"/);
    assert.ok(!detail.includes(TOKEN), detail);
    await w.picture('bundle-launch');
    await w.wb.answerModal('Test and Add');
    await w.wb.notification(/"sample-everything" was added to your user settings/);
    await row().filter({ hasText: 'tools' }).waitFor();
    await w.picture('bundle-installed');
    const { args, env } = (await entry())!;
    assert.match(args[0]!, /bundles.sample-everything-1\.0\.0-[\da-f]{16}.server.index\.js$/);
    assert.deepEqual(env, { GREETING: 'Good day', SAMPLE_TOKEN: '${input:sample-everything-token}' });
  });

  it('is updated by a newer one, with its options', async () => {
    const before = (await entry())!;
    const path = await pack('1.1.0', { tools: [{ name: 'echo' }] });
    await install(path);
    await page().getByText('Install the bundle "Sample everything"?').waitFor();
    await page().getByText('Changed since 1.0.0:').waitFor();
    await page().getByText('New tools: echo').waitFor();
    await eventually(async () =>
      assert.equal(await page().getByRole('button', { name: 'Add as Another Server' }).first().isVisible(), true),
    );
    await w.picture('bundle-update');
    await press('Update "sample-everything" from 1.0.0 to 1.1.0');
    await eventually(async () => assert.equal(await page().getByLabel('Greeting').inputValue(), 'Good day'));
    await press('Continue');
    await w.wb.modal();
    await w.wb.answerModal('Update');
    await w.wb.notification(/"sample-everything" was updated/);
    await row().filter({ hasText: 'tools' }).waitFor();
    // The editor reads a file that was saved after a while.
    await eventually(async () => assert.match((await entry())!.args[0]!, /sample-everything-1\.1\.0-/));
    const now = (await entry())!;
    assert.deepEqual(now.env, before.env);
    await eventually(async () =>
      assert.deepEqual([existsSync(before.args[0]!), existsSync(now.args[0]!)], [false, true]),
    );
  });

  it('says that a version is older', async () => {
    const before = await entry();
    await install(join(folder, '1.0.0-1.0.0.mcpb'));
    await page().getByRole('button', { name: 'Replace "sample-everything" 1.1.0 with the Older 1.0.0' }).waitFor();
    await w.picture('bundle-older');
    // Above the manifest and below it.
    await page().getByRole('button', { name: 'Cancel', exact: true }).first().click();
    assert.deepEqual(await entry(), before);
  });

  it('is removed with its files', async () => {
    const now = (await entry())!;
    await w.host.eval(vscode => {
      void vscode.commands.executeCommand('mcpHost.removeServer');
    });
    const { detail } = await w.wb.modal();
    assert.match(detail, /The files of its bundle are deleted/);
    await w.wb.answerModal('Remove');
    await eventually(async () =>
      assert.deepEqual([(await entry()) ?? undefined, existsSync(now.args[0]!)], [undefined, false]),
    );
  });
});

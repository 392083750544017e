import * as assert from 'node:assert/strict';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { pythonWithDebugpy } from '../unit/features/dev/debugClient';

const LANGUAGES = [
  { language: 'TypeScript', file: join('src', 'server.ts'), stopsAt: 'const words =' },
  { language: 'Python', file: 'server.py', stopsAt: 'return f"{len(' },
];

/** Stands for uv, which would fetch what the first lines of the script name. */
const uv = (python: string) => `#!/bin/sh
for script; do :; done
PYTHONPATH="\${PYTHONPATH:+$PYTHONPATH:}${inRepository('test', 'servers', 'python')}" exec ${python} "$script"
`;

describe('from an empty folder to the debugger', () => {
  let w: Workbench;
  const python = pythonWithDebugpy();
  const bin = temporaryFolder();
  before(async () => {
    writeFileSync(join(bin, 'uv'), uv(python ?? 'python3'));
    chmodSync(join(bin, 'uv'), 0o755);
    w = await openWorkbench({
      workspace: 'fresh',
      debugs: true,
      unpacked: [inRepository('test', 'extensions', 'debugpy')],
      env: { PATH: `${bin}${delimiter}${process.env.PATH}`, SHELL: '' },
    });
  });
  after(async () => {
    await w?.close();
    remove(bin);
  });

  for (const { language, file, stopsAt } of LANGUAGES) {
    it(`a new server in ${language} runs, and stops at a breakpoint in its source`, async function () {
      if (language === 'Python' && python === undefined) this.skip(); // no Python here has debugpy
      const name = `counter-${language.toLowerCase()}`;
      const folder = join(w.folder, name);
      const source = join(folder, file);
      await w.wb.command('MCP Host: Add Server…');
      await w.wb.searchAndPick('New Server');
      await w.wb.pick(language);
      await w.wb.quickInput.getByText('The folder for the new server.').waitFor();
      await w.wb.input(folder);
      await w.wb.notification(`"${name}" was created`);
      await w.wb.viewContainer('MCP');
      const row = w.wb.tree('Servers').row(name);
      if (language === 'TypeScript') {
        await row.filter({ hasText: 'packages' }).waitFor();
        await w.picture('new-server-without-packages');
        // What npm would install.
        symlinkSync(inRepository('node_modules'), join(folder, 'node_modules'), 'junction');
        writeFileSync(join(folder, 'package-lock.json'), '{}');
      }
      await row.filter({ hasText: '1 tool' }).waitFor();
      const line = readFileSync(source, 'utf8')
        .split('\n')
        .findIndex(text => text.includes(stopsAt));
      await w.host.eval(
        (vscode, { path, at }) => {
          const place = new vscode.Location(vscode.Uri.file(path), new vscode.Position(at, 0));
          vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place)]);
        },
        { path: source, at: line },
      );
      await w.wb.chooseInContextMenu(row, 'Debug Server');
      await w.wb.viewContainer('MCP');
      await row.filter({ hasText: /debugging · 1 tool/ }).waitFor();
      await w.wb.command('MCP Host: Run Tool…');
      // Rows name their server where there are several.
      await w.wb.searchAndPick('Count words', language === 'TypeScript' ? 'Count words' : name);
      const page = w.wb.webview();
      await page.getByRole('textbox', { name: /^text\b/ }).fill('two words');
      await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
      const stop = w.page.locator('.part.editor .debug-top-stack-frame-line').first();
      await stop.waitFor();
      await w.host.until(
        (vscode, { path, at }) => {
          const editor = vscode.window.activeTextEditor;
          return editor?.document.fileName === path && editor.selection.active.line === at;
        },
        { path: source, at: line },
      );
      await w.picture(`new-server-stopped-${language.toLowerCase()}`);
      await w.host.command('workbench.action.debug.continue');
      await stop.waitFor({ state: 'hidden' });
      await w.host.command('workbench.action.debug.stop');
      await w.wb.viewContainer('MCP');
      await row.filter({ hasText: '1 tool', hasNotText: 'debugging' }).waitFor();
      const entries = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
      assert.ok(Object.hasOwn(Object(entries), name));
      await w.host.command('workbench.action.closeAllEditors');
    });
  }
});

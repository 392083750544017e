import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plain } from '../../src/base/text';
import type { window } from '../../src/editor/window';
import { inRepository, temporaryFolder } from '../setup/paths';

describe('texts of servers', () => {
  it("make no links or icons: the editor's window is reached through one module, other ways are lint errors @serverText.make-links-icons", async function () {
    this.timeout(60_000);
    const folder = temporaryFolder();
    const ways = [
      "void vscode.window.showInformationMessage('x');",
      "void vscode.window\n  .withProgress({ location: 15, title: 'x' }, async () => {});",
      "void vscode.window['showWarningMessage']('x');",
      'const { window } = vscode;',
      'export const mine = vscode.window;',
      "vscode.window.createInputBox().prompt = 'x';",
      'vscode.window.createQuickPick().items = [];',
      'vscode.window.createStatusBarItem();',
      "vscode.l10n.t('x');",
      'const { l10n } = vscode;',
    ];
    mkdirSync(join(folder, 'probes'));
    for (const [index, way] of ways.entries()) {
      writeFileSync(join(folder, 'probes', `${index}.ts`), `import * as vscode from 'vscode';\n${way}\n`);
    }
    const plugin = inRepository('test/lint/door.grit');
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [plugin] }));
    const found = await flagged(folder, ['src', join(folder, 'probes')]);
    const inProbes = found.filter(file => /probes[\\/]\d\.ts$/.test(file));
    assert.deepEqual(inProbes.map(file => file.at(-4)).sort(), [...ways.keys()].map(String));
    const others = found.filter(file => !inProbes.includes(file)).map(file => file.replaceAll('\\', '/'));
    assert.deepEqual([...new Set(others)], ['src/editor/window.ts']);
    // The same rule is part of `npm run lint`.
    const config = JSON.parse(readFileSync(inRepository('biome.json'), 'utf8')) as { overrides: unknown[] };
    const rule = { includes: ['src/**', '!src/editor/window.ts'], plugins: ['./test/lint/door.grit'] };
    assert.ok(config.overrides.some(override => JSON.stringify(override) === JSON.stringify(rule)));
  });

  it('pass the compiler only after escaping @serverText.pass-compiler-escaping', () => {
    // Looked at by the compiler, never called: each line without the door must be an error.
    const refused = (shown: typeof window, name: string) => {
      // @ts-expect-error
      void shown.showInformationMessage(name);
      // @ts-expect-error
      void shown.showWarningMessage(`MCP server "${name}"`);
      // @ts-expect-error
      void shown.showErrorMessage(name, 'OK');
      // @ts-expect-error
      void shown.withProgress({ location: 15, title: name }, async () => {});
      void shown.withProgress({ location: 15 }, async progress => {
        // @ts-expect-error
        progress.report({ message: name });
      });
      // @ts-expect-error
      void shown.showInputBox({ prompt: name });
      // @ts-expect-error
      void shown.showInputBox({ title: name });
      // @ts-expect-error
      shown.createInputBox().prompt = name;
      // @ts-expect-error
      shown.createInputBox().validationMessage = name;
      // @ts-expect-error
      void shown.showQuickPick([{ label: name }]);
      // @ts-expect-error
      void shown.showQuickPick([{ label: plain(name), detail: name }]);
      // @ts-expect-error
      shown.createQuickPick().items = [{ label: plain(name), description: name }];
      // @ts-expect-error
      shown.createStatusBarItem('id').text = name;
      // @ts-expect-error
      shown.createStatusBarItem('id').tooltip = name;
      // @ts-expect-error
      shown.setStatusBarMessage(name, 1);
      // @ts-expect-error
      shown.createOutputChannel(name);
      void shown.showInformationMessage(plain(name));
    };
    assert.equal(refused.length, 2);
  });
});

/** The files in which lint finds something, with the configuration of a folder. */
function flagged(folder: string, where: string[]): Promise<string[]> {
  const biome = inRepository('node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const args = [biome, 'lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none', ...where];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: inRepository(), maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => {
      try {
        const { diagnostics } = JSON.parse(stdout) as {
          diagnostics: { category: string; location: { path: string } }[];
        };
        resolve(diagnostics.filter(({ category }) => category === 'plugin').map(({ location }) => location.path));
      } catch (error) {
        reject(error);
      }
    });
  });
}

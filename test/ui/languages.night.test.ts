import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { eventually, inPage } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { npmServerPath } from '../servers/npm';
import { inRepository } from '../setup/paths';

/** The title of the view of servers in each language of the extension. */
const LANGUAGES = { de: 'Server', ja: 'サーバー', ko: '서버', 'zh-cn': '服务器' };

/** What a person sees, and what a screen reader says. */
const shown = inPage<string[]>(`element => [element, ...element.querySelectorAll('*')].flatMap(each => [
  ...[...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent.trim()),
  ...['aria-label', 'title', 'placeholder'].map(name => each.getAttribute(name) ?? ''),
])`);

/** Of these texts, those that the extension has in this language and that are in English all the same. */
function english(texts: readonly string[], language: string): string[] {
  const file = inRepository('l10n', `bundle.l10n.${language}.json`);
  const translated: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  return texts.filter(text => Object.hasOwn(translated, text) && translated[text] !== text);
}

for (const [language, servers] of Object.entries(LANGUAGES)) {
  describe(`a window in ${language}`, () => {
    let w: Workbench;
    const page = () => w.wb.webview().locator('main');
    before(async () => {
      w = await openWorkbench({
        workspace: 'fresh',
        settings: {
          'mcpHost.servers': {
            everything: { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] },
            gone: { command: 'no-such-program' },
          },
        },
      });
      await w.page.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = '${language}'`);
      await w.reload();
      await w.wb.viewContainer('MCP');
      await w.wb.tree(servers).row('everything').filter({ hasText: '19' }).waitFor();
    });
    after(() => w?.close());

    async function assertTranslated(part: Locator, name: string): Promise<void> {
      await eventually(async () => {
        const texts = await part.evaluate(shown);
        assert.deepEqual(english(texts, language), []);
      });
      await w.picture(`${name}-${language}`);
    }

    it('says in it how servers are', () => assertTranslated(w.wb.tree(servers).locator, 'language-servers'));

    it('has no English around the list of tools, and on the page of one', async () => {
      void w.host.command('mcpHost.runTool');
      await w.wb.quickRow('Echo Tool').waitFor();
      await assertTranslated(w.wb.quickInput, 'language-tools');
      await w.wb.pick('Echo Tool');
      await page().locator('form, textarea, input').first().waitFor();
      await assertTranslated(page(), 'language-tool');
    });

    for (const command of ['showHealth', 'showTrace', 'browseServers']) {
      it(`has no English on the page of ${command}`, async () => {
        await w.host.command('workbench.action.closeAllEditors');
        void w.host.command(`mcpHost.${command}`);
        await page().waitFor();
        await assertTranslated(page(), `language-${command}`);
      });
    }
  });
}

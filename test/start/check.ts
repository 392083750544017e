// npm start -- --check: the main job of the extension, done as a person would, in a real VS Code.

import { openWorkbench, type Workbench } from '../drivers/workbench';
import type { LayerResult } from '../setup/layers';
import { inRepository, remove } from '../setup/paths';
import type { FileResult } from '../setup/pool';
import { nothingRan } from '../setup/report';
import { has, type Need, reasonOf } from '../setup/since';

export interface CheckStep {
  /** What a person did or sees. */
  name: string;
  /** Throws when it is not so. */
  run(w: Workbench): Promise<unknown>;
  needs?: Need;
}

/** In this order, in one window. Each leaves a picture. */
export const steps: CheckStep[] = [
  {
    name: 'the extension is active',
    run: w => w.host.until(vscode => vscode.extensions.getExtension('mcp-host.mcp-host')?.isActive),
  },
  {
    name: 'the activity bar shows MCP',
    run: w => w.wb.viewContainer('MCP'),
  },
  {
    name: 'both servers are ready',
    run: w => w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready, 0 failed"]').waitFor(),
  },
  {
    name: 'the tree shows what the demo server offers',
    run: async w => {
      const tree = w.wb.tree('Servers');
      await tree.expand('notebook');
      await tree.expand('Tools');
      await tree.row('Add a note').waitFor();
    },
  },
  {
    name: 'a resource opens in an editor',
    run: async w => {
      const tree = w.wb.tree('Resources');
      // Both: a row that comes later moves the others.
      for (const server of ['notebook', 'everything']) await tree.row(server).waitFor();
      await tree.expand('notebook');
      await tree.open('Read me first', w.wb.tab('readme.md'));
      await w.page.locator('.editor-instance .view-line', { hasText: 'otebook' }).first().waitFor();
    },
  },
  {
    name: 'a template is filled in and its result opens',
    run: async w => {
      const tree = w.wb.tree('Resources');
      await tree.expand('Templates');
      await tree.open('Archive month', w.wb.tab('Archive month'));
      const page = w.wb.webview();
      await page.getByRole('combobox', { name: /^year / }).fill('2025');
      await page.getByRole('combobox', { name: /^month / }).fill('11');
      await page.locator('.uri', { hasText: 'notebook:///archive/2025/11' }).waitFor();
      await page.getByRole('button', { name: 'Open as File' }).click();
      await w.wb.tab('11.md').waitFor();
    },
  },
  {
    name: 'the log of the demo server can be read',
    run: async w => {
      await w.wb.tree('Servers').action('notebook', 'Show Server Log');
      await w.page.locator('.output-view .view-line', { hasText: 'ready:' }).first().waitFor();
      await w.host.command('workbench.action.closePanel');
    },
  },
  {
    name: 'a prompt runs in chat',
    needs: 'models of extensions in the picker',
    run: async w => {
      await w.host.command('workbench.action.chat.open');
      await w.wb.chat.pickModel('Demo Model');
      const response = await w.wb.chat.ask('@mcp /args-prompt city=Lisbon');
      await response.getByText('weather in Lisbon').waitFor();
    },
  },
  {
    name: 'a tool that was approved runs in chat',
    needs: 'models of extensions in the picker',
    run: async w => {
      const response = await w.wb.chat.send('@mcp call everything__get-sum {"a": 20, "b": 22}');
      await response.getByRole('button', { name: 'Allow', exact: true }).click();
      await response.getByText('The sum of 20 and 22 is 42.').waitFor();
    },
  },
];

const stepTimeoutMs = 120_000;

/**
 * Opens the sample workspace and does the steps, one line and one picture in artifacts/check/ each.
 * @returns how many there were, up to the first that fails.
 */
export async function runSteps(wanted: CheckStep[]): Promise<LayerResult> {
  const folder = inRepository('artifacts', 'check');
  process.env.TEST_ARTIFACTS = folder;
  process.env.TEST_PATIENCE ??= '3';
  remove(folder);
  let w: Workbench | undefined;
  const started = Date.now();
  const result: FileResult = {
    ...nothingRan(),
    layer: 'check',
    source: 'check',
    output: '',
  };
  const open: CheckStep = { name: 'VS Code opens the sample workspace', run: async () => (w = await openWorkbench()) };
  try {
    for (const [index, step] of [open, ...wanted].entries()) {
      if (step.needs && !has(step.needs)) {
        const reason = reasonOf(step.needs);
        result.leftOut.push(`${step.name} [${reason}]`);
        console.log(`left out  ${step.name} (${reason})`);
        continue;
      }
      const began = Date.now();
      const error = await attempt(step, w);
      const line = `${((Date.now() - began) / 1000).toFixed(1)}s  ${step.name}`;
      const picture = `${String(index + 1).padStart(2, '0')}-${step.name.replace(/\W+/g, '-')}`;
      if (error) await w?.save(picture);
      else await w?.picture(picture);
      console.log(error ? `not ok ${line}\n  ${error.message}` : `ok ${line}`);
      if (error) {
        result.failures.push({ title: step.name, message: error.message, details: String(error.stack) });
        break;
      }
      result.passes++;
    }
  } finally {
    await w?.close();
  }
  const workMs = Date.now() - started;
  return { files: [result], problems: [], workMs };
}

async function attempt(step: CheckStep, w: Workbench | undefined): Promise<Error | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${stepTimeoutMs / 1000} s`)), stepTimeoutMs);
  });
  try {
    await Promise.race([step.run(w as Workbench), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

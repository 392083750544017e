// From the moment a server answers a completion request to its suggestion on the screen. The suggestion itself says when
// the server made it; the window looks for it at every frame. Beside it: an input of the editor's own API whose items come from
// the extension host at once.

import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';
import { type BenchRow, relative } from './row';

const rounds = 12;

export async function* rows(): AsyncGenerator<BenchRow> {
  const servers = { clock: { command: process.execPath, args: [fixturePath('clock')] } };
  const w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
  try {
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor({ timeout: 30_000 });
    await w.host.eval(openBare);
    const bare = await measure(w);
    await w.page.keyboard.press('Escape');
    await w.wb.command('MCP Host: Run Prompt…');
    await w.wb.pick('Clock');
    yield relative('completion: answer to suggestion on the screen', await measure(w), 'ms', bare, 1.3);
  } finally {
    await w.close();
  }
}

async function measure(w: Workbench): Promise<number[]> {
  const shown: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await w.wb.input(`round ${round}`, { accept: false });
    shown.push(await w.page.evaluate(latencyOf, `round ${round}`));
  }
  return shown;
}

/** Runs in the extension host. */
async function openBare(vscode: typeof import('vscode')): Promise<void> {
  const input = vscode.window.createQuickPick();
  input.onDidChangeValue(value => {
    input.items = [{ label: `${value} was answered at ${Date.now()}`, alwaysShow: true }];
  });
  input.show();
}

/** Runs in the window: waits for the row of this round, and compares the time in it with now. */
function latencyOf(round: string): Promise<number> {
  interface Window {
    document: { querySelectorAll(selector: string): Iterable<{ textContent: string | null }> };
    requestAnimationFrame(next: () => void): void;
  }
  const window = globalThis as unknown as Window;
  return new Promise(resolve => {
    const look = () => {
      for (const row of window.document.querySelectorAll('.quick-input-list .monaco-list-row')) {
        const at = new RegExp(`${round} was answered at (\\d+)`).exec(row.textContent ?? '');
        if (at) {
          resolve(Date.now() - Number(at[1]));
          return;
        }
      }
      window.requestAnimationFrame(look);
    };
    look();
  });
}

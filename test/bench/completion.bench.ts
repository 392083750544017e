// From the moment a server answers a completion request to its suggestion on the screen. The suggestion itself says when
// the server made it; the window looks for it at every frame.

import { fixturePath } from '../servers/spawn';
import { absolute, type BenchRow } from '../setup/benchRow';
import { openWorkbench } from '../setup/workbench';

const rounds = 12;
const budgetMs = 20;

export async function* rows(): AsyncGenerator<BenchRow> {
  const servers = { clock: { command: process.execPath, args: [fixturePath('clock')] } };
  const w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
  try {
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor({ timeout: 30_000 });
    await w.wb.command('MCP Host: Run Prompt…');
    await w.wb.pick('Clock');
    const shown: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await w.wb.input(`round ${round}`, { accept: false });
      shown.push(await w.page.evaluate(latencyOf, `round ${round}`));
    }
    yield absolute('completion: answer to suggestion on the screen', shown, 'ms', budgetMs);
  } finally {
    await w.close();
  }
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

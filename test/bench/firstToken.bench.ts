// From a question sent in chat to the first request that arrives at the model: @mcp, with the tools of two servers, and
// with 300 tools of one, against a participant that only asks the model. Both through the chat view, taking turns.

import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import { absolute, type BenchRow } from './row';

const rounds = 15;
const budgetMs = 30;

export async function* rows(): AsyncGenerator<BenchRow> {
  yield await row('first token overhead', 2);
  const many = { many: { command: process.execPath, args: [fixturePath('hostile'), '--tools=300'] } };
  yield await row('first token overhead, 300 tools', 1, { workspace: 'editor', settings: { 'mcpHost.servers': many } });
}

async function row(
  name: string,
  servers: number,
  options: Parameters<typeof openWorkbench>[0] = {},
): Promise<BenchRow> {
  const w = await openWorkbench({ ...options, unpacked: [inRepository('test/bench/bare-participant')] });
  try {
    const ready = `[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="${servers} ready"]`;
    await w.page.locator(ready).waitFor({ timeout: 30_000 });
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    const more: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      // Each is first as often as the other.
      const order = round % 2 === 0 ? (['@bare', '@mcp'] as const) : (['@mcp', '@bare'] as const);
      const ms = { '@bare': 0, '@mcp': 0 };
      for (const participant of order) ms[participant] = await untilAsked(w, `${participant} hello`);
      if (round > 0) more.push(ms['@mcp'] - ms['@bare']); // the first round loads code
    }
    return absolute(name, more, 'ms more than a bare participant', budgetMs);
  } finally {
    await w.close();
  }
}

interface IdleWindow {
  requestIdleCallback(done: (value: unknown) => void): void;
}

/** Milliseconds from sending a question to the model's being asked; waits for the end of the answer. */
async function untilAsked(w: Workbench, query: string): Promise<number> {
  const ms = await w.host.eval(async (vscode, question) => {
    const model = globalThis as { demoModelAsked?: number };
    model.demoModelAsked = undefined;
    const sent = performance.now();
    void vscode.commands.executeCommand('workbench.action.chat.open', { query: question });
    while (model.demoModelAsked === undefined) await new Promise(resolve => setImmediate(resolve));
    return model.demoModelAsked - sent;
  }, query);
  await w.wb.chat.locator.locator('.codicon-stop-circle').waitFor({ state: 'hidden' });
  // The next question would wait for the window to have drawn this answer.
  await w.page.evaluate(
    () => new Promise(resolve => (globalThis as unknown as IdleWindow).requestIdleCallback(resolve)),
  );
  return ms;
}

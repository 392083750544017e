import * as assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';

describe('a call that became a task', () => {
  const folder = temporaryFolder();
  const kept = join(folder, 'tasks.json');
  let w: Workbench;
  before(async () => {
    const args = [fixturePath('hostile'), `--tasks=${kept}`];
    const servers = { jobs: { command: process.execPath, args } };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('jobs').filter({ hasText: '6 tools' }).waitFor();
    await runTool(w, 'required', { args: { ms: 600_000 } });
    await w.wb.tree('Servers').expand('jobs');
    await w.wb.tree('Servers').row('required').filter({ hasText: 'it is working' }).waitFor();
  });
  after(async () => {
    await w?.close();
    remove(folder);
  });

  /** Lets the time of all tasks be over: however long the window takes to load, one works until then. */
  function endTasks(): void {
    const tasks = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, { createdAt: number }>;
    for (const task of Object.values(tasks)) task.createdAt = 0;
    // At once: the server may be reading.
    writeFileSync(`${kept}.new`, JSON.stringify(tasks));
    renameSync(`${kept}.new`, kept);
  }

  it('has a row while it runs, below all permanent rows', async () => {
    const tree = w.wb.tree('Servers');
    await tree.expand('jobs');
    await tree.row('required').filter({ hasText: 'it is working' }).waitFor();
    await tree.expand('Roots');
    await tree.row('editor').waitFor();
    await eventually(async () => {
      const outline = await tree.outline();
      assert.ok(outline.indexOf('  Running') > outline.indexOf('  Roots'), outline.join());
      assert.equal(outline.at(-1), '    required');
    });
    await w.picture('task-running');
  });

  it('is followed across a reload of the window, and its result opens from its row @tasks.followed-across-reload', async () => {
    await w.reload();
    await w.wb.viewContainer('MCP');
    const tree = w.wb.tree('Servers');
    await tree.expand('jobs');
    await tree.row('required').filter({ hasText: 'it is working' }).waitFor();
    await w.picture('task-after-reload');
    endTasks();
    const finished = 'required on MCP server "jobs" has finished.';
    await w.wb.notification(finished);
    await tree.row('required').filter({ hasText: 'done, open the result' }).waitFor();
    await w.picture('task-finished');
    await answerNotification(w, finished, 'Open Result');
    const text = await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.scheme === 'mcp-result' ? document.getText() : undefined;
    });
    assert.match(text ?? '', /600000/);
    await tree.row('Running').waitFor({ state: 'detached' });
    await w.picture('task-result');
  });
});

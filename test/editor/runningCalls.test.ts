import * as assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DetailNode, ServerNode } from '../../src/editor/serverRows';
import { waitFor } from '../servers/spawn';
import { api, closeEditors, configure, eventually, fixture, loads, logged, raw, reaches } from './window';

describe('running calls', () => {
  const kept = () => join(tmpdir(), `mcph-tasks-${process.pid}.json`);
  const entry = () => ({ one: fixture('hostile', `--tasks=${kept()}`) });
  afterEach(async () => {
    await configure(undefined);
    rmSync(kept(), { force: true });
  });

  const running = async (): Promise<DetailNode[]> => {
    const { tree, servers } = await api();
    const row = tree.getChildren().find(({ server }) => server === servers.get('one'));
    const isRunning = (node: ServerNode): node is DetailNode =>
      node.type === 'detail' && node.item().contextValue === 'running';
    const group = tree.getChildren(row).find(isRunning);
    return group ? (tree.getChildren(group) as DetailNode[]) : [];
  };
  const shows = (what: string, matches: (item: vscode.TreeItem) => boolean) =>
    waitFor(async () => (await running()).find(node => matches(node.item())), { what });

  it("have a row with the server's progress and a way to cancel @runningCalls.row-server-progress", async () => {
    await configure(entry());
    const server = await loads('one');
    const tool = server.catalog.tools.find(({ name }) => name === 'required')!;
    const { calls } = (await api()).trust();
    const call = await calls.approve({ server, tool, args: { end: 'never' }, origin: 'palette' }, async () => ({
      answer: 'allow',
    }));
    assert.ok(call.approved);
    const made = call.run();
    made.catch(() => undefined);
    const row = await shows('the row', ({ description }) => /^\d+ s · it is working$/.test(String(description)));
    assert.equal(row.item().contextValue, 'call.running');
    const shown = async () => {
      const { tree } = await api();
      return String(tree.getTreeItem(tree.getChildren().find(({ server: one }) => one.id === 'one')!).description);
    };
    await eventually(async () => assert.match(await shown(), /^running required · /));
    await vscode.commands.executeCommand('mcpHost.cancelCall', row);
    await assert.rejects(made, { code: 'CANCELLED' });
    await waitFor(async () => (await running()).length === 0, { what: 'the row to go' });
    assert.doesNotMatch(await shown(), /running/);
    await logged('one', /cancelled task-/);
    const { workspaceState } = (await api()).context;
    await eventually(() => assert.deepEqual(workspaceState.get('tasks'), []));
  });

  it('kept from an earlier window are followed, and open their results from their rows', async () => {
    const { context, servers } = await api();
    await configure(entry());
    const server = await loads('one');
    const tool = server.catalog.tools.find(({ name }) => name === 'required')!;
    let taskId = '';
    const lost = raw(server).callTool(tool, { ms: 1_500, end: 'never' }, { onTask: id => (taskId = id) });
    lost.catch(() => undefined);
    await waitFor(() => taskId, { what: 'the task' });
    const { fingerprint } = server.definition;
    const tasks = [
      { serverId: 'one', fingerprint, tool: 'required', taskId, startedAt: Date.now() },
      { serverId: 'one', fingerprint, tool: 'required', taskId: 'task-gone', startedAt: Date.now() },
    ];
    await server.stop('the window is closed');
    await assert.rejects(lost, { code: 'CLOSED' });
    await context.workspaceState.update('tasks', tasks);
    await servers.get('one')!.start('the window is open again');
    await reaches('one', 'ready');
    await shows('the running row', ({ contextValue }) => contextValue === 'call.running');
    // It ends when that was seen, however long that takes.
    const text = readFileSync(kept(), 'utf8').replace(/,"end":"never"/, '');
    writeFileSync(`${kept()}.new`, text);
    renameSync(`${kept()}.new`, kept());
    const ended = await shows('the ended row', ({ contextValue }) => contextValue === 'call.ended');
    await eventually(() => assert.deepEqual(context.workspaceState.get('tasks'), []));
    await vscode.commands.executeCommand('mcpHost.openCallResult', ended);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'mcp-result');
    assert.match(document?.getText() ?? '', /not kept over the reload[\s\S]*"ms": ?1500|1500/);
    await waitFor(async () => (await running()).length === 0, { what: 'the row to go' });
    await closeEditors();
  });
});

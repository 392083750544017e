import * as assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type * as authors from '../../src/doors/authors';
import { waitFor } from '../servers/spawn';
import { OWN_SERVER, tool } from '../unit/features/dev/ownServer';
import { debugSessions, stopDebugging } from './debugSessions';
import { forgetTestFiles, node, run, testFile } from './testFiles';
import { api, closeEditors } from './window';

const extension = vscode.extensions.getExtension('mcp-host.mcp-host')!;
/** What ships. Loaded late: nothing needs it before there is a test file. */
const loadAuthors = (): typeof authors => require(path.join(extension.extensionPath, 'dist', 'authors.js'));

describe('tests of servers under the debugger', () => {
  let server: string;
  let breakpoint: vscode.SourceBreakpoint;

  beforeEach(async () => {
    const own = await realpath(await mkdtemp(path.join(tmpdir(), 'mcp-debugged-')));
    server = path.join(own, 'server.mjs');
    // It runs in the folder of the tests, which is another.
    await writeFile(server, OWN_SERVER.replace("'tools.json'", JSON.stringify(path.join(own, 'tools.json'))));
    await writeFile(path.join(own, 'tools.json'), JSON.stringify([tool('one')]));
    const line = OWN_SERVER.split('\n').findIndex(text => text.includes('JSON.stringify({ level, followed })'));
    breakpoint = new vscode.SourceBreakpoint(
      new vscode.Location(vscode.Uri.file(server), new vscode.Position(line, 0)),
    );
    vscode.debug.addBreakpoints([breakpoint]);
  });
  afterEach(async () => {
    vscode.debug.removeBreakpoints([breakpoint]);
    await stopDebugging();
    mock.restoreAll();
    await closeEditors();
    await rm(path.dirname(server), { recursive: true, force: true });
    forgetTestFiles();
  });

  /** A file with these tests, each with these steps, whose server was allowed to start. */
  async function allowed(
    name: string,
    tests: Record<string, object[]>,
    { script = server, debug = 'node' as unknown } = {},
  ): Promise<vscode.TestItem> {
    const entry = JSON.stringify({ ...JSON.parse(node(script)), dev: { debug } });
    const list = Object.entries(tests).map(([named, steps]) => ({ name: named, steps }));
    const item = await testFile(name, `server: ${entry}\ntests: ${JSON.stringify(list)}`, list.length);
    const { trust } = await api();
    const refusal = { needs: 'needsTrust' as const, reason: 'not yet', remedy: '' };
    const admit = mock.method(trust().consents, 'admit', () => refusal);
    await run([item]);
    admit.mock.restore();
    return item;
  }

  /** Debugs the tests of a file as the command of the editor does. */
  async function debug(item: vscode.TestItem) {
    const { tests } = await api();
    const explorer = tests();
    const runs: ReturnType<typeof explorer.run>[] = [];
    const begun = Promise.withResolvers<void>();
    const { run: original } = explorer;
    mock.method(explorer, 'run', (...given: Parameters<typeof original>) => {
      const counts = original.apply(explorer, given);
      runs.push(counts);
      begun.resolve();
      return counts;
    });
    let over: Thenable<unknown> = Promise.resolve();
    // The editor hears of a new file a little later than we do, and runs nothing until then.
    const begins = async () => {
      over = vscode.commands.executeCommand('testing.debug.uri', item.uri);
      await Promise.race([over, begun.promise]);
      return runs.length > 0;
    };
    await waitFor(begins, { what: 'the run to begin' });
    return { counts: runs[0]!, over };
  }

  const isStopped = () => vscode.debug.activeStackItem instanceof vscode.DebugStackFrame;
  const sessionName = () =>
    vscode.debug.activeDebugSession?.parentSession?.name ?? vscode.debug.activeDebugSession?.name;
  const goOn = () => vscode.commands.executeCommand('workbench.action.debug.continue');
  const call = { call: 'one' };

  it('stop at breakpoints one after the other, and time stands still meanwhile', async () => {
    const item = await allowed('stops.mcptest.yaml', { first: [call], second: [call] });
    const stand = mock.method(loadAuthors().TestClock.prototype, 'stand');
    const isStill = () => stand.mock.calls.at(-1)?.arguments[0];
    const { counts, over } = await debug(item);
    await waitFor(isStopped, { what: 'the breakpoint to be hit' });
    assert.equal(sessionName(), 'stops: first');
    assert.equal(isStill(), true);
    await goOn();
    await waitFor(() => isStopped() && sessionName() === 'stops: second', { what: 'the breakpoint of the second' });
    await goOn();
    assert.deepEqual(await counts, { passed: 2, failed: 0, skipped: 0 });
    assert.equal(isStill(), false);
    await over;
    await waitFor(() => debugSessions().length === 0, { what: 'the debugger to be gone' });
  });

  it('are skipped from where the person stops the debugger', async () => {
    const item = await allowed('left.mcptest.yaml', { first: [call], second: [call] });
    const { counts, over } = await debug(item);
    await waitFor(isStopped, { what: 'the breakpoint to be hit' });
    await vscode.commands.executeCommand('workbench.action.debug.stop');
    assert.deepEqual(await counts, { passed: 0, failed: 0, skipped: 2 });
    await over;
  });

  it('fail where the server ends at its start', async () => {
    const item = await allowed('missing.mcptest.yaml', { first: [call] }, { script: `${server}.missing` });
    const { counts, over } = await debug(item);
    assert.deepEqual(await counts, { passed: 0, failed: 1, skipped: 0 });
    await over;
  });

  it('use debugger settings of a workspace, which are part of what was allowed, without a further question @debuggedTests.use-debugger-settings', async () => {
    const item = await allowed('theirs.mcptest.yaml', { first: [call] }, { debug: { type: 'nobody', mode: 'theirs' } });
    const asked = mock.method(vscode.window, 'showWarningMessage', async () => undefined);
    const { counts, over } = await debug(item);
    assert.deepEqual(await counts, { passed: 0, failed: 1, skipped: 0 });
    await over;
    assert.equal(asked.mock.callCount(), 0);
    assert.deepEqual(debugSessions(), []);
  });
});

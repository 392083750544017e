import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, raw } from './window';

/** How many turns the event loop of the extension host makes while `run` runs. */
async function turnsOf(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await run();
  clearImmediate(next);
  return turns;
}

/** The lines of a server's log, as the editor keeps them in the log folder of the window, oldest file last. */
async function linesOnDisk(id: string): Promise<string[]> {
  const folder = (await api()).context.logUri.fsPath;
  const files = readdirSync(folder).filter(name => name.startsWith(`MCP ${id}.`));
  return files.flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n'));
}

function callTool(server: ServerConnection, name: string, args: Record<string, unknown>): Promise<unknown> {
  const call = { name, arguments: args };
  return raw(server).request(name, (client, options) => client.callTool(call, options), { timeoutMs: 110_000 });
}

const flood = (server: ServerConnection, count: number, every: number) => callTool(server, 'flood', { count, every });

describe('a flood of log messages', () => {
  afterEach(() => configure(undefined));

  it('of 100,000 leaves the event loop free, and no error in it is lost', async () => {
    await configure({ flood: fixture('hostile', '--flood-tool') });
    const server = await loads('flood');
    const faults = async () => (await linesOnDisk('flood')).filter(line => /\[error\] .*fault \d+ of/.test(line));
    // The answer comes after all messages.
    const turns = await turnsOf(() => flood(server, 100_000, 2_000));
    await waitFor(async () => (await faults()).length >= 50, { what: 'the last error on disk' });
    const numbers = (await faults()).map(line => Number(/fault (\d+)/.exec(line)?.[1]));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => (i + 1) * 2_000),
    );
    // How late it is, in milliseconds, is a row of `npm run bench logFlood`. Whatever else is to be done comes between two
    // turns: no more than a thousand messages are handled in one.
    assert.ok(turns > 100, `the event loop made ${turns} turns`);
  });

  it('makes the trace wait until its page has taken the last rows, and recover later', async () => {
    const [said, closed] = [new vscode.EventEmitter<unknown>(), new vscode.EventEmitter<void>()];
    const got: { type: string; delivery?: number; rows?: readonly { seq: number }[] }[] = [];
    const panel = {
      visible: true,
      options: {},
      webview: {
        ...{ html: '', options: {}, cspSource: 'test:', asWebviewUri: (uri: vscode.Uri) => uri },
        onDidReceiveMessage: said.event,
        postMessage: async (message: (typeof got)[number]) => got.push(message) > 0,
      },
      onDidChangeViewState: new vscode.EventEmitter<unknown>().event,
      onDidDispose: closed.event,
      reveal: () => {},
      dispose: () => closed.fire(),
    };
    const opening = mock.method(vscode.window, 'createWebviewPanel', () => panel as unknown as vscode.WebviewPanel);
    await configure({ flood: fixture('hostile', '--flood-tool') });
    const server = await loads('flood');
    try {
      await vscode.commands.executeCommand('mcpHost.showTrace');
      said.fire({ type: 'ready' });
      await waitFor(() => got.some(({ type }) => type === 'rows'), { what: 'the first rows' });
      const before = got.length;
      await flood(server, 100_000, 2_000);
      assert.deepEqual(
        got.slice(before).map(({ type }) => type),
        [],
      );
      // The page takes what it gets from now on, until it has the newest.
      let taken = 0;
      const seqs = () => got.flatMap(({ rows = [] }) => rows.map(({ seq }) => seq));
      const take = () => {
        for (; taken < got.length; taken++) said.fire({ type: 'taken', delivery: got[taken]!.delivery ?? 0 });
        const newest = Math.max(...seqs());
        return newest > 100_000;
      };
      await waitFor(take, { what: () => `the newest rows; the last is ${Math.max(...seqs())}` });
      // What the trace had dropped by then was sent to nobody.
      assert.ok(seqs().length < 60_000, `${seqs().length} rows`);
    } finally {
      opening.mock.restore();
      panel.dispose();
    }
  });

  it('that goes on is cut: the log counts what was left out, and still has every error @logFlood.goes-cut-log', async () => {
    await configure({ more: fixture('hostile', '--flood-tool') });
    const server = await loads('more');
    const count = 200_000;
    // So many are let through a second: for the limit, all come in one moment, however long that takes this machine.
    const moment = performance.now();
    const clock = mock.method(performance, 'now', () => moment);
    try {
      await flood(server, count, 4_000);
    } finally {
      clock.mock.restore();
    }
    const sum = async () => {
      const lines = await linesOnDisk('more');
      const leftOut = lines.map(line => Number(/\[warning\] left out: (\d+) log messages/.exec(line)?.[1] ?? 0));
      const errors = lines.filter(line => /\[error\] .*fault/.test(line)).length;
      const written = lines.filter(line => /message \d+ of a flood/.test(line)).length;
      return { leftOut: leftOut.reduce((a, b) => a + b, 0), written, errors };
    };
    await waitFor(
      async () => {
        const { leftOut, written, errors } = await sum();
        return leftOut + written + errors === count;
      },
      {
        what: 'every message to be written or counted',
      },
    );
    const { errors, leftOut } = await sum();
    assert.equal(errors, 50);
    // What came before the moment, and what is let through in one, is a part of the first half.
    assert.ok(leftOut > count / 4, `${leftOut} were left out`);
  });
});

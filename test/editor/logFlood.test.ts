import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { raw } from '../setup/raw';
import { api, configure, fixture, loads } from './window';

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

  it('that goes on is cut down: the log says how much was left out, and still has every error', async () => {
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

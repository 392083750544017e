import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { suiteLine } from '../setup/report';
import { api, configure, fixture, loads } from './window';

const TICK_MS = 5;

interface Lag {
  p99: number;
  max: number;
  /** By the clock, also while the machine ran other programs. */
  maxByClock: number;
  tookMs: number;
}

/**
 * How late the event loop of the extension host is while `run` runs, in milliseconds. What is late counts as far as this
 * process (all its threads) was at work: on a busy machine the clock goes on while others run.
 */
async function lagOf(run: () => Promise<unknown>): Promise<Lag> {
  const start = performance.now();
  const late: number[] = [];
  let maxByClock = 0;
  let [at, used] = [start, process.cpuUsage()];
  const timer = setInterval(() => {
    const byClock = performance.now() - at - TICK_MS;
    const { user, system } = process.cpuUsage(used);
    late.push(Math.max(0, Math.min(byClock, (user + system) / 1_000)));
    maxByClock = Math.max(maxByClock, byClock);
    [at, used] = [performance.now(), process.cpuUsage()];
  }, TICK_MS);
  await run();
  clearInterval(timer);
  late.sort((a, b) => a - b);
  const [p99, max] = [late[Math.floor(late.length * 0.99)] ?? 0, late.at(-1) ?? 0];
  const rounded = Object.entries({ p99, max, maxByClock, tookMs: performance.now() - start });
  return Object.fromEntries(rounded.map(([name, value]) => [name, Math.round(value)])) as unknown as Lag;
}

/** The lines of a server's log, as the editor keeps them in the log folder of the window, oldest file last. */
async function linesOnDisk(id: string): Promise<string[]> {
  const folder = (await api()).context.logUri.fsPath;
  const files = readdirSync(folder).filter(name => name.startsWith(`MCP ${id}.`));
  return files.flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n'));
}

function callTool(server: ServerConnection, name: string, args: Record<string, unknown>): Promise<unknown> {
  const call = { name, arguments: args };
  return server.request(name, (client, options) => client.callTool(call, options), { timeoutMs: 60_000 });
}

const flood = (server: ServerConnection, count: number, every: number) => callTool(server, 'flood', { count, every });

describe('a flood of log messages', () => {
  afterEach(() => configure(undefined));

  it('of 100,000 leaves the event loop free, and no error in it is lost', async function () {
    this.timeout(120_000);
    await configure({ flood: fixture('hostile', '--flood-tool') });
    const server = await loads('flood');
    const faults = async () => (await linesOnDisk('flood')).filter(line => /\[error\] .*fault \d+ of/.test(line));
    // As long without a flood: how late this machine is anyway.
    const before = await lagOf(() => callTool(server, 'wait', { ms: 2_000 }));
    // The answer comes after all messages.
    const flooded = await lagOf(() => flood(server, 100_000, 2_000));
    await waitFor(async () => (await faults()).length >= 50, { timeoutMs: 60_000, what: 'the last error on disk' });
    console.log(`${suiteLine}        event-loop lag in ms: ${JSON.stringify({ before, flooded })}`);
    const numbers = (await faults()).map(line => Number(/fault (\d+)/.exec(line)?.[1]));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => (i + 1) * 2_000),
    );
    assert.ok(flooded.p99 < 50, `the event loop was ${flooded.p99} ms late`);
  });

  it('that goes on is cut down: the log says how much was left out, and still has every error', async function () {
    this.timeout(120_000);
    await configure({ more: fixture('hostile', '--flood-tool') });
    const server = await loads('more');
    const count = 300_000;
    await flood(server, count, 6_000);
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
        timeoutMs: 30_000,
        what: 'every message to be written or counted',
      },
    );
    const { errors, leftOut } = await sum();
    assert.equal(errors, 50);
    assert.ok(leftOut > 0, 'nothing was left out');
  });
});

// From the start of a server to its tools: how much longer that takes in a sandbox, without a network and with one, which a
// second Node in the sandbox passes connections of.
import { mkdtempSync, rmSync } from 'node:fs';
import { freely } from '../setup/freely';
import { BRIDGE, whyNot } from '../unit/host/sandbox/confined';
import { hostile, TestHost } from '../unit/host/testHost';
import { absolute, type BenchRow } from './row';

const rounds = 11;

export async function* rows(): AsyncGenerator<BenchRow> {
  const why = await whyNot();
  if (why !== undefined) return console.log(`Nothing can be confined on this machine: ${why}.`);
  const storage = mkdtempSync('/var/tmp/mcp-host-bench-');
  const port = { ...freely.sandbox, storage, bridge: BRIDGE };
  const kinds = { free: false, confined: true, online: { network: ['example.com'] } };
  const more = { confined: [] as number[], online: [] as number[] };
  const measure = async (sandbox: unknown) => {
    const test = new TestHost({ sandbox: port });
    try {
      const started = performance.now();
      test.configure({ one: { ...hostile(), sandbox } });
      await test.loads('one');
      return performance.now() - started;
    } finally {
      await test.close();
    }
  };
  try {
    for (let round = 0; round <= rounds; round++) {
      const [free, confined, online] = [
        await measure(kinds.free),
        await measure(kinds.confined),
        await measure(kinds.online),
      ];
      if (round === 0) continue; // the first round fills the caches
      more.confined.push(confined - free);
      more.online.push(online - free);
    }
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
  yield absolute('sandbox: a start that is confined, longer by', more.confined, 'ms', 300);
  yield absolute('sandbox: the same with hosts that it may reach', more.online, 'ms', 300);
}

// npm run soak [-- --minutes=N --seed=N --servers=N]: everything that can happen to many servers, for ten minutes.
// Prints a line every 30 s and a summary; the exit code is 1 when something leaked or did not come back.
// npm run soak -- faults: the tests of test/soak/faults.
import { parseArgs } from 'node:util';
import { inRepository } from '../setup/paths';
import { endWithStarter, spawnGroup } from '../setup/processes';
import { testArguments } from './faults';
import { soak } from './soak';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 100_000) },
      servers: { type: 'string', default: '50' },
    },
  });
  if (positionals[0] === 'faults') return runFaults();
  if (positionals.length > 0) throw new Error(`soak knows "faults", and no "${positionals[0]}"`);
  const [minutes, seed, servers] = [Number(values.minutes), Number(values.seed), Number(values.servers)];
  if (![minutes, seed, servers].every(n => n > 0))
    throw new Error('--minutes, --seed and --servers take numbers over 0');
  console.log(`soak: ${servers} servers, ${minutes} minutes, --seed=${seed}`);
  const ms = minutes * 60_000;
  const warmUpMs = Math.min(30_000, ms / 4);
  const { counts, problems } = await soak({
    servers,
    ms: ms - warmUpMs,
    warmUpMs,
    seed,
    print: line => console.log(line),
    printEveryMs: 30_000,
  });
  for (const [what, n] of Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${n} × ${what}`);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  console.log(
    problems.length === 0 ? 'soak: nothing leaked, every server came back' : `soak: ${problems.length} problems`,
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
}

async function runFaults(): Promise<void> {
  const program = inRepository('out/test/setup/test.js');
  const child = spawnGroup(process.execPath, [program, ...testArguments()], { stdio: 'inherit' });
  process.exitCode = await new Promise<number>(resolve => {
    child.once('exit', status => resolve(status ?? 1));
  });
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exit(1);
});

// npm run soak [-- --minutes=N --seed=N --servers=N]: everything that can happen to many servers, for ten minutes.
// Prints a line every 30 s and a summary; the exit code is 1 when something leaked or did not come back.
import { parseArgs } from 'node:util';
import { endWithStarter } from '../setup/processes';
import { soak } from './soak';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 100_000) },
      servers: { type: 'string', default: '50' },
    },
  });
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

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exit(1);
});

// npm run compat [-- [--if-possible] <part> [args…] …]: what the repository is built with, against what is out there. Without
// a name, all parts. They need the registry, so they are no part of `npm test`. With `--if-possible`, a part that cannot run
// on this machine says so and is no failure. The last line is the sum.

import { endWithStarter } from '../setup/processes';
import { keepSummary } from '../setup/report';
import { clients } from './clients';
import { editors } from './editors';
import { frameworks } from './frameworks';
import { harness } from './harness';
import { CannotRunHere, type Part } from './part';
import { sdk } from './sdk';
import { windows } from './windows';

const parts: Record<string, Part> = { sdk, editors, windows, clients, frameworks, harness };

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

/** Each part that is named, with its arguments. */
function chosen(args: string[]): [name: string, args: string[]][] {
  if (args.length === 0) return Object.keys(parts).map(name => [name, []]);
  const found: [string, string[]][] = [];
  for (const arg of args) {
    if (parts[arg]) found.push([arg, []]);
    else if (found.length > 0) found.at(-1)![1].push(arg);
    else throw new Error(`there is no part "${arg}"; the parts are ${Object.keys(parts).join(', ')}`);
  }
  return found;
}

async function main(given: string[]): Promise<number> {
  const args = given.filter(arg => arg !== '--if-possible');
  let [passed, failed] = [0, 0];
  const lines: string[] = [];
  for (const [name, wanted] of chosen(args)) {
    console.log(`\n=== compat: ${name}`);
    try {
      const outcome = await parts[name]!(wanted, stopping.signal);
      passed += outcome.passed;
      failed += outcome.failed;
      lines.push(...outcome.lines);
    } catch (error) {
      if (!(error instanceof CannotRunHere) || args.length === given.length) failed++;
      lines.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
    if (stopping.signal.aborted) break;
  }
  const summary = `${lines.join('\n')}\n${passed} passed, ${failed} failed`;
  console.log(`\n${summary}`);
  keepSummary(summary);
  return stopping.signal.aborted ? 130 : failed > 0 ? 1 : 0;
}

endWithStarter();
main(process.argv.slice(2)).then(
  code => process.exit(code),
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);

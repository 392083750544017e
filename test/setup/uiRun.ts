// The ui layer: its files in a few processes at once, as much of a window's time is waiting. Each process takes the next
// file when it is done with one; what it prints of a file comes when the file is done.
import { once } from 'node:events';
import * as os from 'node:os';
import * as path from 'node:path';
import { finished } from 'node:stream/promises';
import { inRepository, sourceOf, testFiles } from './paths';
import { endWithStarter, killGroup, spawnGroup } from './processes';
import { expectedMs } from './times';
import { productVsix } from './vsix';

/** A window with its server takes 2 GB. */
const mostAtOnce = 4;

/** It waits for what the product does after half a minute. */
const first = 'serverStates.test.js';

/** The long ones first, or all would wait for one in the end. */
function longestFirst(files: string[]): string[] {
  const msOf = expectedMs();
  const weight = (file: string) => (path.basename(file) === first ? Infinity : msOf(sourceOf(file)));
  return files.toSorted((a, b) => weight(b) - weight(a));
}

/** Runs files until there are none. @returns how the process ended: 0, or a code or signal that says why not. */
async function work(waiting: string[]): Promise<number | string> {
  const child = spawnGroup(process.execPath, [inRepository('out/setup/uiChild.js')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  // Asked to end, it removes its windows and their folders itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const printed: Buffer[] = [];
  const outputs = [child.stdout!, child.stderr!];
  for (const output of outputs) output.on('data', (data: Buffer) => printed.push(data));
  const next = () => {
    const lines = Buffer.concat(printed.splice(0)).toString();
    if (!/^\s*0 passing \(\w+\)\s*$/.test(lines)) process.stdout.write(lines); // `MOCHA_GREP` left nothing of the file
    const file = waiting.shift();
    if (file) child.send(file);
    else child.disconnect();
  };
  child.on('message', next);
  next();
  const [code, signal] = await ended;
  killGroup(child); // nothing that the tests started may stay
  await Promise.all(outputs.map(output => finished(output)));
  process.stdout.write(Buffer.concat(printed));
  return code ?? signal ?? 1;
}

async function main(): Promise<void> {
  process.env.TEST_VSIX = await productVsix();
  const waiting = longestFirst(testFiles(inRepository('out/ui')));
  const atOnce = Number(process.env.TEST_PROCESSES) || Math.min(mostAtOnce, os.availableParallelism());
  const ends = await Promise.all(Array.from({ length: atOnce }, () => work(waiting)));
  // A process that died took one file with it, of which its report tells; the others have run the rest.
  const bad = ends.filter(end => end !== 0);
  if (bad.length > 0) process.exitCode = bad.includes(3) ? 3 : 1;
  if (waiting.length > 0) throw new Error(`nothing was left to run ${waiting}`);
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});

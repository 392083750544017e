// The ui layer: its files in a few processes at once, as much of a window's time is waiting. Each process takes the next
// file when it is done with one; what it prints of a file comes when the file is done.
import * as os from 'node:os';
import * as path from 'node:path';
import { inRepository, testFiles } from './paths';
import { endWithStarter, killGroup, spawnGroup } from './processes';
import { productVsix } from './vsix';

/** A window with its server takes 2 GB. */
const mostAtOnce = 4;

/** Waits for what the product does after half a minute: begun last, all would wait for it. */
const first = 'serverStates.test.js';

/** Runs files until there are none. @returns how the process ended: 0, or a code or signal that says why not. */
function work(waiting: string[]): Promise<number | string> {
  const child = spawnGroup(process.execPath, [inRepository('out/setup/uiChild.js')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed: Buffer[] = [];
  for (const from of [child.stdout, child.stderr]) from?.on('data', (data: Buffer) => printed.push(data));
  const next = (before?: string) => {
    const lines = printed.splice(0);
    if (before === 'ran') process.stdout.write(Buffer.concat(lines));
    const file = waiting.shift();
    if (file) child.send(file);
    else child.disconnect();
  };
  child.on('message', next);
  next();
  return new Promise(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', () => killGroup(child)); // nothing that the tests started may stay
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code ?? signal ?? 1);
    });
  });
}

async function main(): Promise<void> {
  process.env.TEST_VSIX = await productVsix();
  const waiting = testFiles(inRepository('out/ui'));
  const at = waiting.findIndex(file => path.basename(file) === first);
  if (at > 0) waiting.unshift(...waiting.splice(at, 1));
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

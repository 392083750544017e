// Another window: takes the lock of `features/auth/core/windowLock.ts` for a key, again and again, and writes a line when it has it
// and one when it gives it back.
//   node out/servers/lockHolder.js <folder> <key> <times> <file to write to>
//   with `hang` for <times> it never gives it back, as a window that has crashed
//   with `ask` it looks at each line of its stdin whether it still has it, says `kept` or `lost`, and ends when it was kept
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { WindowLock } from '../../src/features/auth/core/windowLock';

const [folder = '', key = '', times = '', file = ''] = process.argv.slice(2);
const say = (what: string) => appendFileSync(file, `${what} ${process.pid}\n`);

async function main(): Promise<void> {
  const lock = new WindowLock(folder);
  const lines = createInterface(process.stdin);
  for (let i = 0; i < (Number(times) || 1); i++) {
    await lock.run(key, async stillHeld => {
      say('take');
      if (times === 'hang') await delay(600_000);
      if (times !== 'ask') await delay(5);
      else {
        await once(lines, 'line');
        await stillHeld().catch(error => {
          say('lost');
          throw error;
        });
        say('kept');
      }
      say('give');
    });
  }
  lines.close();
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});

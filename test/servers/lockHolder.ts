// Another window: takes the lock of `editor/auth/windowLock.ts` for a key, again and again, and writes a line when it has it
// and one when it gives it back.
//   node out/servers/lockHolder.js <folder> <key> <times> <file to write to>
//   with `hang` for <times> it never gives it back, as a window that has crashed
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WindowLock } from '../../src/editor/auth/windowLock';

const [folder = '', key = '', times = '', file = ''] = process.argv.slice(2);
const say = (what: string) => appendFileSync(file, `${what} ${process.pid}\n`);

async function main(): Promise<void> {
  const lock = new WindowLock(folder);
  for (let i = 0; i < (times === 'hang' ? 1 : Number(times)); i++) {
    await lock.run(key, async () => {
      say('take');
      if (times === 'hang') await delay(600_000);
      await delay(5);
      say('give');
    });
  }
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});

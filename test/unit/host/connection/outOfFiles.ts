// Prints what becomes of a server that is to start while no file can be opened, and of one that runs: for machine.night.test.ts,
// which starts this program with a low limit of open files.
import { closeSync, openSync } from 'node:fs';
import { hostile, TestHost } from '../testHost';

async function main(): Promise<void> {
  const test = new TestHost();
  test.configure({ running: hostile() });
  await test.loads('running');
  const open: number[] = [];
  try {
    for (;;) open.push(openSync('/dev/null', 'r'));
  } catch {
    // That was the last one.
  }
  test.configure({ running: hostile(), late: hostile() });
  const { error } = await test.reaches('late', 'failed');
  const running = test.server('running').state.kind;
  for (const file of open) closeSync(file);
  void test.server('late').start('a person did');
  await test.loads('late');
  console.log(JSON.stringify({ error: error.message, running, late: test.server('late').state.kind }));
  await test.close();
}

void main();

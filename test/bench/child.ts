// node benchChild.js <compiled benchmark>: prints its rows as they come.

import { endWithStarter } from '../setup/processes';
import type { BenchModule } from './row';

async function main([file = '']: string[]): Promise<void> {
  const { rows } = (await import(file)) as BenchModule;
  for await (const row of rows()) process.stdout.write(`${JSON.stringify(row)}\n`);
}

endWithStarter();
// The output has the rows alone.
console.log = console.error;
main(process.argv.slice(2)).then(
  () => process.exit(),
  error => {
    console.error(error);
    process.exit(1);
  },
);

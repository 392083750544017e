import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { Relay } from './relay';
import { defaultHome } from './windowCards';

/*
 * A program of its own, without dependencies, that agents start as if it were a server. It passes their messages on to the window
 * that has their folder, which answers them with the servers that run there.
 *
 *   node bridge.js [--server <name>]
 */
const at = process.argv.indexOf('--server');
const server = at < 0 ? undefined : process.argv[at + 1];
const home = existsSync(path.join(__dirname, 'windows')) ? __dirname : defaultHome();

const relay = new Relay(
  { home, cwd: process.cwd(), ...(server !== undefined && { server }) },
  {
    input: process.stdin,
    output: process.stdout,
    end(code, reason) {
      if (reason) process.stderr.write(`${reason}\n`);
      process.exitCode = code;
      // Not `exit`, which would lose what has not been written yet.
      process.stdin.destroy();
      process.stdout.end();
    },
  },
);
void relay.start();

import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { Relay } from './relay';
import { defaultHome } from './windowCards';

/*
 * A program without dependencies that agents start as if it were a server. It passes their messages on to the window that has
 * their folder, or whose card is named, which answers them with the servers that run there.
 *
 *   node bridge.js [--server <name>] [--card <file>]
 */

const option = (name: string) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const [server, card] = [option('--server'), option('--card')];
const home = existsSync(path.join(__dirname, 'windows')) ? __dirname : defaultHome();
const wanted = {
  home,
  cwd: process.cwd(),
  ...(server !== undefined && { server }),
  ...(card !== undefined && { card }),
};
void new Relay(wanted).start();

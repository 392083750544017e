// Stands between a host and a stdio server, and notes each line that passes: `> line` from the host, `< line` from the server.
//   node out/servers/tap.js <file for the notes> <script> [arguments of the script]
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { eachLine } from './raw/lines';

const [notes = '', ...args] = process.argv.slice(2);
const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const note = (mark: string) => eachLine(line => appendFileSync(notes, `${mark} ${line}\n`));
process.stdin.on('data', note('>')).pipe(server.stdin);
server.stdout.on('data', note('<')).pipe(process.stdout);
server.on('exit', code => process.exit(code ?? 1));

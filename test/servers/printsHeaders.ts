// What `headersHelper` of an entry runs: prints the file `output` of a folder, the file `errors` to stderr, and ends with the
// code in the file `code`. Notes each run in the file `runs`, with what it was told about the server.
//   node out/servers/printsHeaders.js <folder>
// While there is a file `wait`, it does not end, nor does a child of its own, which is noted too.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const file = (name: string) => join(folder, name);
const textOf = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');

const { CLAUDE_CODE_MCP_SERVER_NAME: name, CLAUDE_CODE_MCP_SERVER_URL: url } = process.env;
appendFileSync(file('runs'), `${JSON.stringify({ pid: process.pid, name, url })}\n`);
process.stderr.write(textOf('errors'));
if (existsSync(file('wait'))) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  child.unref(); // what is printed does not wait for it
  appendFileSync(file('runs'), `${JSON.stringify({ pid: child.pid })}\n`);
}
const end = () => {
  if (existsSync(file('wait'))) return;
  clearInterval(timer);
  process.stdout.write(textOf('output'));
  process.exitCode = Number(textOf('code'));
};
const timer = setInterval(end, 50);
end();

import { spawn } from 'node:child_process';
import { connect } from 'node:http2';
import { createServer, Socket } from 'node:net';

/*
 * A program of its own, which runs within the sandbox: it takes connections to the proxy there, where no network is, and passes
 * them on over the one descriptor that leads out of it. Then it runs the server, and ends as that does.
 *
 *   node sandbox-bridge.js <descriptor> <port> <program> <argument>…
 */
const [descriptor = '', port = '', program = '', ...args] = process.argv.slice(2);
const way = new Socket({ fd: Number(descriptor) });
const session = connect('http://proxy', { createConnection: () => way });
session.on('error', () => {});
way.unref();

const server = createServer({ allowHalfOpen: true }, socket => {
  const stream = session.request({ ':method': 'POST' }, { endStream: false });
  socket.on('error', () => stream.close());
  stream.on('error', () => socket.destroy());
  stream.on('close', () => socket.destroy());
  socket.pipe(stream).pipe(socket);
});
server.listen(Number(port), '127.0.0.1', () => {
  const { ELECTRON_RUN_AS_NODE, ...env } = process.env;
  const child = spawn(program, args, { stdio: 'inherit', env });
  // These reach the server as well, which decides what comes of them.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  child.once('error', error => {
    console.error(error.message);
    process.exit(127);
  });
  child.once('exit', (code, signal) => {
    if (signal) process.kill(process.pid, 'SIGKILL');
    process.exit(code ?? 1);
  });
});

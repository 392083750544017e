import { spawn } from 'node:child_process';
import { connect } from 'node:http2';
import { createServer, Socket } from 'node:net';

/*
 * A separate program that runs inside the sandbox. It accepts connections to the proxy there, where there is no network, and
 * forwards them over the one descriptor that leads out. It then runs the server, and ends with it.
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
  // The server gets these signals too, and decides what to do.
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

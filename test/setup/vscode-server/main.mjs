// node main.mjs <server-main.js> [args…]: the VS Code server, which ends with all its children when the process that
// started it is gone, whatever way that one ended. It leads its own process group (see server.ts).
import { Server } from 'node:http';
import { pathToFileURL } from 'node:url';

const starter = process.ppid;
setInterval(() => {
  if (process.ppid !== starter) process.kill(-process.pid, 'SIGKILL');
}, 500).unref();

// SecretStorage survives a reload when the server hands out a key, for which this one has no route. A route of Playwright in its
// place would lead every request of the page through the tests, and keep nothing in the cache.
const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...args) {
  const [request, response] = args;
  if (event !== 'request' || request.url !== '/mint-key') return Reflect.apply(emit, this, [event, ...args]);
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.alloc(32, 7));
  return true;
};

process.argv.splice(1, 1); // the server reads its options from the third argument on
await import(pathToFileURL(process.argv[1]).href);

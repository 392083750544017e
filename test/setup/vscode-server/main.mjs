// node main.mjs <server-main.js> [args…]: the VS Code server, which ends with all its children when the process that
// started it is gone, whatever way that one ended. It leads its own process group (see server.ts).
import { pathToFileURL } from 'node:url';

const starter = process.ppid;
setInterval(() => {
  if (process.ppid !== starter) process.kill(-process.pid, 'SIGKILL');
}, 500).unref();

process.argv.splice(1, 1); // the server reads its options from the third argument on
await import(pathToFileURL(process.argv[1]).href);

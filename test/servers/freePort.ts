import { createServer } from 'node:http';

/** Below those that systems give to whoever asks for any: of these, one that was free is soon another process's. */
const PORTS = { from: 20_000, count: 10_000 };

/** A port on which nothing listens, for servers that cannot say which one the system gave them. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException) =>
        /^(EADDRINUSE|EACCES)$/.test(error.code ?? '') ? resolve(false) : reject(error);
      server.once('error', refused).listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise(resolve => server.close(resolve));
    return port;
  }
}

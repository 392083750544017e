import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that systems give to whoever asks for any port or connects somewhere: such a one may be taken a moment later. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port on which nothing listens, for servers that cannot say which one the system gave them. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false));
    server.listen(port, () => resolve(true));
  });
  await new Promise(resolve => server.close(resolve));
  return listens;
}

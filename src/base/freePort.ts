import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine at which nothing listens: a new one each time, which others cannot know in advance. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { ListenOptions, Server as SocketServer } from 'node:net';

/** The answer to a request that cannot be parsed, or that a handler fails on. */
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

/** An HTTP server for programs on this machine. What is no HTTP, or fails, gets status 400 and ends alone. */
export function localServer(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  options: ServerOptions = {},
): Server {
  const server = createServer(options, (request, response) => {
    response.on('error', () => {});
    Promise.resolve()
      .then(() => handle(request, response))
      .catch(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(400, { connection: 'close' }).end();
      });
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(BAD_REQUEST, () => socket.destroy());
    else socket.destroy();
  });
  return server;
}

/** Resolves when a server listens. Rejects if it can't; later failures are for the listeners of `error`, if there are any. */
export function listen(server: SocketServer, at: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Listens on an address that only this machine can reach. @param port 0: any free port. */
export const onLoopback = (port = 0): ListenOptions => ({ host: '127.0.0.1', port });

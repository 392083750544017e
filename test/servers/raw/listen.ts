import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface ListenOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: one that the system chooses. */
  port?: number;
  /** Print `listening <port>` on stdout, for the process that waits for it. */
  announce?: boolean;
  /** Exit when stdin ends, so that no fixture outlives the process that started it. */
  exitOnStdinEnd?: boolean;
}

/** Serves HTTP on this machine. Resolves with the port. */
export async function listen(handle: Handler, options: ListenOptions = {}): Promise<number> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      console.error(error.stack);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(error.message);
    });
  });
  // On a busy machine, five seconds pass between two requests, and the second would go into a connection that closes.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  if (options.exitOnStdinEnd) process.stdin.on('end', () => process.exit(0)).resume();
  if (options.announce) console.log(`listening ${port}`);
  return port;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** A Unix socket before a server that listens on a port: what comes on one goes out on the other, byte for byte. */
export interface SocketRelay {
  /** `unix:` address of a path of the server, which begins with a slash. */
  url(path: string): string;
  /** Of the socket. */
  readonly path: string;
  /** How often somebody has connected. */
  readonly connections: number;
  /** Cuts all connections, and listens no more. */
  close(): Promise<void>;
}

/** Relays a new socket to a port of this machine. */
export async function relaySocket(port: number): Promise<SocketRelay> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp socket '));
  const file = path.join(folder, 'a.sock');
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer(near => {
    connections++;
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(file, resolve));
  return {
    url: to => `unix://${file}#${to}`,
    path: file,
    get connections() {
      return connections;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

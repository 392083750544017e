import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type ListenOptions, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** Stands before a server that listens on a port: what comes goes out to it, byte for byte. */
export interface Relay {
  /** Address of a path of the server, which begins with a slash. */
  url(path: string): string;
  /** How often somebody has connected. */
  readonly connections: number;
  /** Makes all open connections half-open: data is dropped, and neither side gets an error. New connections work. */
  silence(): void;
  /** Cuts all connections, and listens no more. */
  close(): Promise<void>;
}

/** Relays a new Unix socket, at `path`, to a port of this machine. */
export async function relaySocket(port: number): Promise<Relay & { readonly path: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp socket '));
  const file = path.join(folder, 'a.sock');
  const relay = await relayTo(port, { path: file }, () => `unix://${file}#`);
  const { close: end } = relay;
  const close = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return Object.assign(relay, { path: file, close });
}

/** Relays another port of this machine to this one. @param at the other port; 0: any. */
export function relayPort(port: number, at = 0, host = '127.0.0.1'): Promise<Relay> {
  return relayTo(port, { port: at, host }, own => `http://${host}:${own}`);
}

async function relayTo(port: number, where: ListenOptions, address: (port: number) => string): Promise<Relay> {
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
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve));
  return {
    url: to => address((server.address() as AddressInfo).port) + to,
    get connections() {
      return connections;
    },
    silence: () => {
      for (const socket of open) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

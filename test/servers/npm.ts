// The servers that nobody here wrote: dev dependencies from npm.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { inRepository } from '../setup/paths';
import { type HttpServerFixture, startScript, waitFor } from './spawn';

/** The script of `@modelcontextprotocol/server-<name>`, to be run with Node. */
export function npmServerPath(name: 'everything' | 'filesystem' | 'memory'): string {
  return inRepository('node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
}

/** A port on which nothing listens at the moment, for servers that cannot say which one the system gave them. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => void server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/**
 * Starts server-everything over HTTP and waits until it listens. Streamable HTTP is on `/mcp`, HTTP+SSE on `/sse`. It
 * ignores the end of its stdin, so `stop` ends it with SIGTERM.
 */
export async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<HttpServerFixture> {
  const port = await freePort();
  const fixture = startScript(npmServerPath('everything'), [transport], { PORT: String(port) });
  const stop = async () => {
    fixture.child.kill('SIGTERM');
    await fixture.stop();
  };
  try {
    await waitFor(() => fixture.stderr.some(line => line.includes(`on port ${port}`)), {
      timeoutMs: 15_000,
      what: () => `server-everything to listen; it said: ${fixture.stderr.join('\n')}`,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...fixture, stop, port, url: path => `http://127.0.0.1:${port}${path}` };
}

// The servers that nobody here wrote: dev dependencies from npm.

import { inRepository } from '../setup/paths';
import { freePort } from './freePort';
import { type HttpServerFixture, startScript, waitFor } from './spawn';

/** Official examples of MCP Apps: over stdio with `--stdio`, otherwise over HTTP. */
export type AppExample =
  | 'basic-react'
  | 'basic-vanillajs'
  | 'budget-allocator'
  | 'cohort-heatmap'
  | 'customer-segmentation'
  | 'scenario-modeler';

/** Servers over stdio that need no account. */
export type NpmServer = 'everything' | 'filesystem' | 'memory' | 'sequential-thinking' | AppExample;

/** The script of `@modelcontextprotocol/server-<name>`, to be run with Node. */
export function npmServerPath(name: NpmServer): string {
  return inRepository('node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
}

/** Starts an example of MCP Apps over HTTP, on `/mcp`, and waits until it listens. It ends with SIGTERM. */
export function startAppExample(name: AppExample): Promise<HttpServerFixture> {
  return startOnPort(name, []);
}

/**
 * Starts server-everything over HTTP and waits until it listens. Streamable HTTP is on `/mcp`, HTTP+SSE on `/sse`. It
 * ignores the end of its stdin, so `stop` ends it with SIGTERM.
 */
export function startEverything(transport: 'streamableHttp' | 'sse'): Promise<HttpServerFixture> {
  return startOnPort('everything', [transport]);
}

/** Starts a server that takes its port from its environment, and says on which it listens. */
async function startOnPort(name: NpmServer, args: string[]): Promise<HttpServerFixture> {
  const port = await freePort();
  const fixture = startScript(npmServerPath(name), args, { PORT: String(port) });
  const stop = async () => {
    fixture.child.kill('SIGTERM');
    await fixture.stop();
  };
  const said = () => [...fixture.stderr, ...fixture.stdout];
  try {
    await waitFor(() => said().some(line => line.includes(String(port))), {
      what: () => `server-${name} to listen; it said: ${said().join('\n')}`,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...fixture, stop, port, url: path => `http://127.0.0.1:${port}${path}` };
}

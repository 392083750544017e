import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../src/base/errors';
import type { ConnectionLimits } from '../../../src/host/connection/connectionOptions';
import { type HttpServerFixture, startHttpServer } from '../../servers/spawn';
import { raw } from '../../setup/raw';
import { hostile, TestHost } from './testHost';

/** A host with a bad server over HTTP, `bad`, and a good one beside it, `good`. */
export class HttpTest {
  /** Those of servers that are started from now on. */
  limits: Partial<ConnectionLimits> = {};
  readonly host = new TestHost({}, { limits: () => this.limits });
  readonly #servers: HttpServerFixture[] = [];

  /** Starts the hostile server with these flags. `entry` goes into its settings. */
  async start(flags: string[], entry: object = {}): Promise<HttpServerFixture> {
    const server = await startHttpServer('hostile', ['--http', ...flags]);
    this.#servers.push(server);
    this.host.configure({ bad: { url: server.url('/mcp'), ...entry }, good: hostile() });
    return server;
  }

  /** Starts it, calls its tool `echo`, and returns the error; the server beside it must be well then. */
  async failure(flags: string[], entry: object = {}): Promise<HostError> {
    await this.start(flags, entry);
    await this.host.loads('bad');
    const error = await this.call().then(
      () => assert.fail('it answered'),
      (error: HostError) => error,
    );
    assert.equal(error.name, 'HostError');
    await this.others();
    return error;
  }

  async call(name = 'echo', args: Record<string, unknown> = { text: 'hello' }): Promise<string> {
    return callTool(this.host, 'bad', name, args);
  }

  /** The server beside it, and the bad one itself with its other methods, are as before. */
  async others(): Promise<void> {
    await this.host.loads('good');
    assert.equal(await callTool(this.host, 'good', 'echo', { text: 'well' }), 'well');
  }

  /** For the next test, beside the same good server. */
  async renew(): Promise<void> {
    this.host.configure({ good: hostile() });
    this.host.logs.length = 0;
    this.limits = {};
    await this.#stop();
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.#stop();
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map(server => server.stop()));
  }
}

async function callTool(host: TestHost, id: string, name: string, args: Record<string, unknown>): Promise<string> {
  const tool: Tool = { name, inputSchema: { type: 'object' } };
  const { content } = await raw(host.server(id)).callTool(tool, args);
  return (content[0] as { text: string }).text;
}

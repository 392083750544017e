import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import type { ConnectionOptions } from '../../../src/host/connection/connectionOptions';
import { waitFor } from '../../servers/spawn';
import { Tag } from '../../servers/tagged';
import { patience } from '../../setup/patience';
import { raw } from '../../setup/raw';
import { hostile, TestHost } from './testHost';

/** The tool `echo` of the hostile fixture. */
export const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };

/** A server beside it is waited for so long, whatever the faulty one does: no test fails because a machine is busy. */
const BESIDE_MS = 20_000;

/**
 * A host with two servers: `bad`, which has the faults of a test, and `other`, which has none and is called all the time.
 * `end` asserts that `other` has answered each call in time and that no process is left of either.
 */
export class FaultyHost extends TestHost {
  readonly #tag = new Tag();
  #ended = false;
  #calls = 0;
  #loop: Promise<void> = Promise.resolve();

  /** Starts `other`, waits until it is ready, then starts `bad` with these flags of the hostile fixture. */
  async start(flags: readonly string[], settings: object = {}): Promise<void> {
    const other = { ...this.#entry(), timeouts: { toolCallMs: BESIDE_MS * patience() } };
    this.configure({ other });
    await this.loads('other');
    this.#loop = this.#callOther();
    this.configure({ other, bad: { ...this.#entry(...flags), ...settings } });
  }

  /** Calls a tool of `bad`. Rejects as a person would see it. */
  async call(tool: Tool = echo, args: Record<string, unknown> = { text: 'hello' }) {
    return raw(this.server('bad')).callTool(tool, args);
  }

  /** Asserts that `bad` answers a call as it should. */
  async answers(): Promise<void> {
    assert.deepEqual((await this.call()).content, [{ type: 'text', text: 'hello' }]);
  }

  /** The lines that the log of `bad` has from one source. */
  linesOf(source: TestHost['logs'][number]['source']): string[] {
    return this.logs.filter(log => log.server === 'bad' && log.source === source).map(({ data }) => String(data));
  }

  async end(): Promise<void> {
    const calls = this.#calls;
    try {
      // At least one more call after everything that the test did.
      await waitFor(() => this.#calls > calls, { timeoutMs: BESIDE_MS, what: 'the server beside it to answer' });
    } finally {
      this.#ended = true;
      await this.#loop.finally(() => this.close());
    }
    await waitFor(() => this.#tag.processes().length === 0, {
      what: () => `no process to be left; there are ${this.#tag.processes()}`,
    });
  }

  #entry(...flags: string[]) {
    const entry = hostile(...flags);
    return { ...entry, env: { ...entry.env, ...this.#tag.env } };
  }

  async #callOther(): Promise<void> {
    while (!this.#ended) {
      const { content } = await raw(this.server('other')).callTool(echo, { text: 'beside' });
      assert.deepEqual(content, [{ type: 'text', text: 'beside' }]);
      this.#calls++;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

/** Gives each test of a `describe` a host of its own, and makes its closing assertions after it. */
export function faultyHosts(options: ConnectionOptions = {}): () => FaultyHost {
  let host: FaultyHost;
  beforeEach(() => {
    host = new FaultyHost({}, options);
  });
  afterEach(function () {
    this.timeout(60_000);
    return host.end();
  });
  return () => host;
}

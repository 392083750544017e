import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/events';
import type { McpHost, ResolvedDefinitions, ServerConnection, ServerState } from '../../../src/host';
import * as sources from '../../../src/host';
import type { ConnectionOptions } from '../../../src/host/connection/connectionOptions';
import type { HostPorts, LogEntry, MemoryPort } from '../../../src/host/definition';
import { fixturePath, waitFor } from '../../servers/spawn';
import { freely } from '../../setup/freely';
import { opened } from '../../setup/raw';

/** The host that is tested: of the sources, or what ships, in the folder that `TEST_PRODUCT` names. */
const product = process.env.TEST_PRODUCT
  ? (require(join(process.env.TEST_PRODUCT, 'host.js')) as typeof sources)
  : sources;

/** Memory as long as a test; a copy of each value, as a file would give. */
export class MapMemory implements MemoryPort {
  readonly values = new Map<string, string>();

  async read(key: string): Promise<unknown> {
    const text = this.values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async write(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.stringify(value));
  }
}

/** A host without an editor: its logs and roots are plain values. */
export class TestHost {
  readonly logs: (LogEntry & { server: string })[] = [];
  readonly onLog = new Emitter<LogEntry & { server: string }>();
  readonly roots = { items: [{ uri: 'file:///root', name: 'root' }], changed: new Emitter<void>() };
  /** What a next window of the same person finds: give it to another `TestHost`. */
  readonly memory: MapMemory;
  readonly host: McpHost;
  /** What the log has of mistakes in the host itself: `close` fails with them. */
  readonly bugs: string[] = [];
  #configured: Record<string, unknown> = {};

  constructor(ports: Partial<HostPorts> = {}, options: ConnectionOptions = {}, memory = new MapMemory()) {
    this.memory = memory;
    const host = new product.McpHost(
      { name: 'test', version: '0' },
      {
        log: {
          log: ({ id }, entry) => {
            this.logs.push({ server: id, ...entry });
            if (String(entry.data).startsWith('Bug in MCP Host')) this.bugs.push(String(entry.data));
            this.onLog.fire({ server: id, ...entry });
          },
        },
        roots: { list: () => this.roots.items, onDidChange: this.roots.changed.event },
        memory: this.memory,
        shellPath: async () => undefined,
        ...freely,
        ...ports,
      },
      // That a start takes long on a busy machine is nothing for the log.
      { restart: { minMs: 40, maxMs: 200, failures: 3, withinMs: 60_000 }, slowStartMs: 600_000, ...options },
    );
    this.host = opened(host);
  }

  /** Makes the host match a value of `mcpHost.servers`. */
  configure(servers: Record<string, unknown>): ResolvedDefinitions {
    this.#configured = servers;
    const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => undefined };
    const resolved = product.resolveDefinitions([{ source: { scope: 'user' }, value: servers, variables }]);
    this.host.reconcile(resolved.definitions);
    return resolved;
  }

  server(id: string): ServerConnection {
    const server = this.host.get(id);
    assert.ok(server, `there is no server ${id}`);
    return server;
  }

  /**
   * Waits until the server is in the given state, however briefly, and returns that. The test goes on in that very moment: a
   * server that restarts would not wait for the next look.
   */
  async reaches<K extends ServerState['kind']>(id: string, kind: K): Promise<ServerState & { kind: K }> {
    const { promise, resolve } = Promise.withResolvers<ServerState & { kind: K }>();
    let isReached = false;
    const look = () => {
      const state = this.host.get(id)?.state;
      if (state?.kind !== kind) return;
      isReached = true;
      resolve(state as ServerState & { kind: K });
    };
    const changes = this.host.onDidChangeServer(look);
    look();
    const inTime = waitFor(() => isReached, {
      what: () =>
        `${id} to be ${kind}; it is ${JSON.stringify(this.server(id).state)}; log: ${JSON.stringify(this.logs.slice(-8))}`,
    });
    try {
      return await Promise.race([promise, inTime.then(() => promise)]);
    } finally {
      changes.dispose();
    }
  }

  /**
   * Gives the server limits for the time of `run` alone, in which something is to take too long. With short limits for longer,
   * whatever else is asked of it may take too long on a busy machine.
   */
  async withLimits<T>(
    id: string,
    timeouts: { requestMs?: number; toolCallMs?: number },
    run: () => Promise<T>,
  ): Promise<T> {
    const configured = this.#configured;
    this.configure({ ...configured, [id]: { ...(configured[id] as object), timeouts } });
    try {
      return await run();
    } finally {
      this.configure(configured);
    }
  }

  /** Waits until all lists that the server supports are loaded. */
  async loads(id: string): Promise<ServerConnection> {
    await this.reaches(id, 'ready');
    const server = this.server(id);
    await waitFor(
      () =>
        (['tools', 'prompts', 'resources', 'resourceTemplates'] as const).every(
          kind => server.catalog.list(kind).status !== 'loading',
        ),
      { what: `the lists of ${id}` },
    );
    return server;
  }

  /** Process id of a ready server. */
  pid(id: string): number {
    const { state } = this.server(id);
    return (state.kind === 'ready' && state.pid) || assert.fail(`${id} has no process`);
  }

  logged(pattern: RegExp): boolean {
    return this.logs.some(({ data }) => pattern.test(typeof data === 'string' ? data : JSON.stringify(data)));
  }

  async close(): Promise<void> {
    await this.host.dispose();
    assert.deepEqual(this.bugs, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Settings entry of a fixture that is started with this process's Node. */
export function fixture(
  name: string,
  ...args: string[]
): { command: string; args: string[]; env: Record<string, string> } {
  return { command: process.execPath, args: [fixturePath(name), ...args], env: { ELECTRON_RUN_AS_NODE: '1' } };
}

export const hostile = (...flags: string[]) => fixture('hostile', ...flags);

import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { Emitter } from '../../../src/base/events';
import { readBounded } from '../../../src/base/readBounded';
import {
  type HostPorts,
  type LogEntry,
  McpHost,
  type MemoryPort,
  type ResolvedDefinitions,
  resolveDefinitions,
  type ServerConnection,
  type ServerState,
} from '../../../src/host';
import type { ConnectionOptions } from '../../../src/host/connection/options';
import { fixturePath, waitFor } from '../../servers/spawn';

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

  constructor(ports: Partial<HostPorts> = {}, options: ConnectionOptions = {}, memory = new MapMemory()) {
    this.memory = memory;
    this.host = new McpHost(
      { name: 'test', version: '0' },
      {
        log: {
          log: ({ id }, entry) => {
            this.logs.push({ server: id, ...entry });
            this.onLog.fire({ server: id, ...entry });
          },
        },
        roots: { list: () => this.roots.items, onDidChange: this.roots.changed.event },
        memory: this.memory,
        shellPath: async () => undefined,
        readFile: path => readBounded(path, 1024 * 1024),
        ...ports,
      },
      { restart: { minMs: 40, maxMs: 200, failures: 3, withinMs: 60_000 }, ...options },
    );
  }

  /** Makes the host match a value of `mcpHost.servers`. */
  configure(servers: Record<string, unknown>): ResolvedDefinitions {
    const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => undefined };
    const resolved = resolveDefinitions([{ source: { scope: 'user' }, value: servers, variables }]);
    this.host.reconcile(resolved.definitions);
    return resolved;
  }

  server(id: string): ServerConnection {
    const server = this.host.get(id);
    assert.ok(server, `there is no server ${id}`);
    return server;
  }

  /** Waits until the server is in the given state, however briefly, and returns that. */
  async reaches<K extends ServerState['kind']>(
    id: string,
    kind: K,
    timeoutMs = 20_000,
  ): Promise<ServerState & { kind: K }> {
    let reached: ServerState | undefined;
    const look = () => {
      const state = this.host.get(id)?.state;
      if (state?.kind === kind) reached ??= state;
    };
    const changes = this.host.onDidChangeServer(look);
    look();
    try {
      const state = await waitFor(() => reached, {
        timeoutMs,
        what: () =>
          `${id} to be ${kind}; it is ${JSON.stringify(this.server(id).state)}; log: ${JSON.stringify(this.logs.slice(-8))}`,
      });
      return state as ServerState & { kind: K };
    } finally {
      changes.dispose();
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

  close(): Promise<void> {
    return this.host.dispose();
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

// Our side: the host bundle as it ships, with one server.

import type { McpHost, ServerConnection, TraceLimits } from '../../../src/host';
import type { LogPort, RequestWatch, WatchedSession } from '../../../src/host/definition';
import { bareHost } from '../bareHost';
import { wireServer } from './rawClient';

/** Calls tools of a server through a `ServerConnection`. */
export class HostClient {
  onLog: (level: string, data: unknown) => void = () => {};
  #reporting: { watch(session: WatchedSession): RequestWatch } | undefined;
  readonly #host: McpHost;
  readonly server: ServerConnection;

  private constructor(host: McpHost, server: ServerConnection) {
    this.#host = host;
    this.server = server;
  }

  /**
   * Resolves when the server is ready and its tools are listed.
   * @param args of Node; default: the wire server.
   * @param onDidChange is called at every change of the server from the beginning.
   * @param logs gets all log entries; default: `onLog` gets those of the server.
   */
  static async start(
    args: readonly string[] = [wireServer],
    onDidChange: (server: ServerConnection) => void = () => {},
    logs?: LogPort,
  ): Promise<HostClient> {
    let client: HostClient | undefined;
    const { host, configure } = bareHost(
      logs ?? { log: (_, { source, level, data }) => source === 'server' && client?.onLog(level, data) },
      session => (client ? client.#reporting?.watch(session) : undefined),
    );
    const ready = new Promise<void>((resolve, reject) => {
      host.onDidChangeServer(({ server }) => {
        const { state, catalog } = server;
        onDidChange(server);
        if (state.kind === 'failed') reject(state.error);
        else if (catalog.list('tools').status === 'ready') resolve();
      });
    });
    // As people have it: with secrets, which are looked for in all that is logged.
    const secrets = Array.from({ length: 5 }, (_, i) => [`SERVICE_${i}_TOKEN`, `sk-${i}-aB3dE5gH7jK9mN1pQ3sT5v`]);
    configure({ server: { command: process.execPath, args, env: Object.fromEntries(secrets) } });
    await ready;
    client = new HostClient(host, host.servers[0]!);
    return client;
  }

  call(name: string, args: Record<string, unknown>): Promise<unknown> {
    return this.#host.requests(this.server).callTool({ name, inputSchema: { type: 'object' } }, args);
  }

  /** Keeps messages from now on, or none. */
  trace(limits: TraceLimits): void {
    this.#host.trace.limit(limits);
  }

  /** Has its requests watched from now on, or not. */
  report(reporting: { watch(session: WatchedSession): RequestWatch } | undefined): void {
    this.#reporting = reporting;
  }

  close(): Promise<void> {
    return this.#host.dispose();
  }
}

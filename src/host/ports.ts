import type { LoggingLevel, Root } from '@modelcontextprotocol/client';
import type { ServerDefinition } from './definition';
import type { Event } from './events';

/** One line for a server's log. */
export interface LogEntry {
  /** `server`: `notifications/message`; `stderr`, `stdout`: its streams; `lifecycle`: what the host did with it. */
  source: 'server' | 'stderr' | 'stdout' | 'lifecycle';
  level: LoggingLevel;
  /** `logger` of `notifications/message`. */
  logger?: string;
  /** A string, or any JSON value from `notifications/message`. */
  data: unknown;
}

/** Where log lines go. Must be cheap and must not throw. */
export interface LogPort {
  log(definition: ServerDefinition, entry: LogEntry): void;
}

/** The roots that servers may see (spec: client/roots). Only `file:` URIs. */
export interface RootsPort {
  list(): Root[];
  readonly onDidChange: Event<void>;
}

/** Everything the host needs from the editor it runs in. */
export interface HostPorts {
  log: LogPort;
  roots: RootsPort;
  /** PATH for local servers: that of the person's login shell. Undefined: keep the host's own. */
  shellPath(): Promise<string | undefined>;
  /** Reads an `envFile`. Rejects when it is not there. */
  readFile(path: string): Promise<string>;
}

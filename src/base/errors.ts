/** What happened here, as a stable string. What the wire said keeps its number: see `HostError.rpcCode`. */
export type HostErrorCode =
  | 'BUSY'
  | 'CANCELLED'
  | 'CHANGED'
  | 'CLOSED'
  | 'EXITED'
  | 'FORBIDDEN'
  | 'HTTP_STATUS'
  | 'INVALID_SETTINGS'
  | 'NEEDS_INPUT'
  | 'NEEDS_TRUST'
  | 'NO_PROGRAMS'
  | 'NOT_MCP'
  | 'NOT_READY'
  | 'PROTOCOL'
  | 'SPAWN_FAILED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'UNREACHABLE';

export interface HostErrorOptions {
  code: HostErrorCode;
  /** Configured name of the server. */
  server: string;
  /** What was being done, as it completes "could not …": "start", "read notebook:///log". */
  action: string;
  /** What went wrong, one sentence without the final stop. */
  reason: string;
  /** What the person can do about it: whole sentences. */
  remedy?: string;
  /** The JSON-RPC error code, when a server answered with one. */
  rpcCode?: number;
  /** The last lines that a local server wrote to stderr. */
  stderrTail?: readonly string[];
  cause?: unknown;
}

/** An error that can be shown as it is: it names the server, what was being done, the reason and the remedy. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly server: string;
  readonly action: string;
  readonly reason: string;
  readonly remedy: string | undefined;
  readonly rpcCode: number | undefined;
  readonly stderrTail: readonly string[];

  constructor(options: HostErrorOptions) {
    const { code, server, action, reason, remedy, rpcCode, stderrTail = [], cause } = options;
    super(`MCP server "${server}" could not ${action}: ${reason}.${remedy ? ` ${remedy}` : ''}`, { cause });
    this.name = 'HostError';
    this.code = code;
    this.server = server;
    this.action = action;
    this.reason = reason;
    this.remedy = remedy;
    this.rpcCode = rpcCode;
    this.stderrTail = [...stderrTail];
  }

  /** What happened, for a place that shows the server's name and the remedy beside it. */
  get summary(): string {
    return `Could not ${this.action}: ${this.reason}.`;
  }
}

/** The message of whatever was thrown, in one line of at most `maxLength` characters. */
export function messageOf(error: unknown, maxLength = 500): string {
  // Cut first: the SDK puts whole messages of servers into its errors, however large.
  const message = (error instanceof Error ? error.message : String(error)).slice(0, maxLength * 4);
  const text = message.replace(/\s+/g, ' ').trim();
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

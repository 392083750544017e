import { english, type Phrase } from './phrase';

/** A stable code of an error. The number of a JSON-RPC error is kept separately, in `HostError.rpcError`. */
export type HostErrorCode =
  | 'BUSY'
  | 'CANCELLED'
  | 'CERTIFICATE'
  | 'CHANGED'
  | 'CLOSED'
  | 'COMMAND_NOT_FOUND'
  | 'DENIED'
  | 'EXITED'
  | 'FOLDER_NOT_FOUND'
  | 'FORBIDDEN'
  | 'HTTP_STATUS'
  | 'INVALID_SETTINGS'
  | 'NEEDS_INPUT'
  | 'NEEDS_TRUST'
  | 'NO_PROGRAMS'
  | 'NO_SANDBOX'
  | 'NOT_ALLOWED'
  | 'NOT_INSTALLED'
  | 'NOT_MCP'
  | 'NOT_READY'
  | 'PACKAGE_NOT_FOUND'
  | 'PROTOCOL'
  | 'SANDBOX_RULES'
  | 'SCRIPT_NOT_FOUND'
  | 'SESSION_LOST'
  | 'SPAWN_FAILED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'UNREACHABLE';

/** A time limit: a key of "timeouts" of a settings entry. */
export type TimeLimit = 'startMs' | 'requestMs' | 'toolCallMs';

/** A command of a package manager that mends a server's packages, and the folder that it runs in. */
export interface PackagesCommand {
  readonly command: string;
  readonly folder: string;
}

/** The error in a server's answer, as the server sent it (JSON-RPC 2.0, error object). */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface HostErrorOptions {
  code: HostErrorCode;
  /** Configured name of the server. */
  server: string;
  /** The attempted action, worded to complete "could not …": "start", "read notebook:///log". */
  action: Phrase | string;
  /** The reason. A final full stop is dropped. */
  reason: Phrase | string;
  /** The remedy for the person, in whole sentences. */
  remedy?: Phrase | string;
  /** The server's error, when it answered with one. */
  rpcError?: RpcError | undefined;
  /** The HTTP status, when that is what went wrong. */
  status?: number;
  limit?: TimeLimit;
  /** The last lines that a local server wrote to stderr. */
  stderrTail?: readonly string[];
  /** Index in `stderrTail` of the line that says what went wrong. */
  tellingAt?: number;
  /** What mends it, if its packages are why. */
  packages?: PackagesCommand;
  cause?: unknown;
}

/**
 * An error that names the server, what was being done, the reason and the remedy. It speaks English, for logs, servers and
 * models; `src/editor/errorText.ts` words its `phrases` for a person. What is done about it depends on its `code` alone.
 */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly server: string;
  readonly action: string;
  readonly reason: string;
  readonly remedy: string | undefined;
  readonly phrases: Pick<HostErrorOptions, 'action' | 'reason' | 'remedy'>;
  readonly rpcError: RpcError | undefined;
  readonly status: number | undefined;
  readonly limit: TimeLimit | undefined;
  readonly stderrTail: readonly string[];
  readonly tellingAt: number | undefined;
  readonly packages: PackagesCommand | undefined;

  constructor(options: HostErrorOptions) {
    const { code, server, rpcError, status, limit, stderrTail = [], cause } = options;
    const [action, reason] = [english(options.action), english(options.reason).replace(/\.$/, '')];
    const remedy = options.remedy && english(options.remedy);
    const sentence = withOneStop(`MCP server "${server}" could not ${action}: ${reason}.`);
    super(remedy ? `${sentence} ${remedy}` : sentence, { cause });
    this.name = 'HostError';
    this.code = code;
    this.server = server;
    this.action = action;
    this.reason = reason;
    this.remedy = remedy;
    this.phrases = {
      action: options.action,
      reason: options.reason,
      ...(options.remedy && { remedy: options.remedy }),
    };
    this.rpcError = rpcError;
    this.status = status;
    this.limit = limit;
    this.stderrTail = [...stderrTail];
    this.tellingAt = options.tellingAt;
    this.packages = options.packages;
  }

  /** The lines of stderr to show where `max` have room: the last, or as many from the one that says what went wrong. */
  stderr(max: number): readonly string[] {
    const { length } = this.stderrTail;
    const from = Math.max(0, Math.min(this.tellingAt ?? length, length - max));
    return this.stderrTail.slice(from, from + max);
  }

  get rpcCode(): number | undefined {
    return this.rpcError?.code;
  }
}

/** A sentence without the stop that follows a question or an exclamation mark. */
export const withOneStop = (sentence: string): string => sentence.replace(/([?!？！])[.。]$/, '$1');

/**
 * The log text for a bug in this program, with its stack; undefined for an error that a server, a network or a person caused:
 * errors of Node have a code, and those of `fetch` a cause.
 */
export function bugIn(error: unknown): string | undefined {
  const isBug =
    error instanceof ReferenceError ||
    (error instanceof TypeError && !('code' in error) && error.cause === undefined && error.message !== 'fetch failed');
  return isBug ? `Bug in MCP Host, please report it: ${error.stack ?? String(error)}` : undefined;
}

/** What `run` returns, or `otherwise` if it throws. */
export function attempt<T>(run: () => T): T | undefined;
export function attempt<T, U = T>(run: () => T, otherwise: U): T | U;
export function attempt<T>(run: () => T, otherwise?: T): T | undefined {
  try {
    return run();
  } catch {
    return otherwise;
  }
}

/** The message of whatever was thrown, in one line of at most `maxLength` characters. */
export function messageOf(error: unknown, maxLength = 500): string {
  // Cut first: the SDK puts whole server messages into its errors, however large.
  const message = (error instanceof Error ? error.message : String(error)).slice(0, maxLength * 4);
  const text = message.replace(/\s+/g, ' ').trim();
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Codes of errors on the wire, with the names of JSON-RPC 2.0 and of the specification of MCP. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The first code of the range that JSON-RPC leaves to implementations. */
export const SERVER_ERROR = -32000;
/** The SDK's code for a session that it does not know. */
export const SESSION_NOT_FOUND = -32001;
/** Up to 2025-11-25; since then it is `INVALID_PARAMS` (server/resources#error-handling). */
export const RESOURCE_NOT_FOUND = -32002;
/** Headers differ from the body (2026-07-28: basic#error-codes). */
export const HEADER_MISMATCH = -32020;
/** It supports none of our versions (2026-07-28: basic/versioning). */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;
/** Of events, as numbered in their draft (SEP-3415#error-handling). */
export const NOT_FOUND = -32023;
export const FORBIDDEN = -32024;
export const UNSUPPORTED = -32026;
/** Up to 2025-11-25: client/elicitation#url-elicitation-required-error. */
export const URL_ELICITATION_REQUIRED = -32042;

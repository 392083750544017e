import type { LoggingLevel } from '@modelcontextprotocol/client';
import type { ServerPurpose } from '../definition/launchGate';
import type { TraceLimits } from '../trace/traceLog';
import type { RestartOptions } from './restartPolicy';
import type { StartOptions } from './startPolicy';

/** Which calls may be sent again, by what their tools say of themselves. */
export type ReplayedCalls = 'readOnlyAndIdempotent' | 'readOnlyOrIdempotent' | 'never';

/**
 * Settings that apply to all connections. Functions are called each time the value is needed, so that a changed setting
 * applies without a restart.
 */
export interface ConnectionOptions extends StartOptions {
  /** What servers are started for. Default: `server`. */
  purpose?: ServerPurpose;
  restart?: RestartOptions;
  /** Interval between pings of an idle server, in milliseconds; 0: never. Default: 30 s. */
  pingIntervalMs?: () => number;
  /** A larger message of a server is skipped. Asked at each start. Default: 64 MB. */
  maxMessageBytes?: () => number;
  /** Requests that one server gets at once; further ones wait. Default: 100. */
  requestsInFlight?: () => number;
  /** Which calls are sent again when the answer was lost. Default: `readOnlyAndIdempotent`. */
  replaySafeCalls?: () => ReplayedCalls;
  /** Whether servers are asked to say when their types of events change (SEP-3415). Default: no. */
  events?: () => boolean;
  /** How many messages the trace keeps. Asked whenever the host is given definitions. Default: none. */
  trace?: () => TraceLimits;
  /** How long a start may take before it is called slow, in milliseconds. Default: 10 s. */
  slowStartMs?: number;
}

const DEFAULT_PING_MS = 30_000;
export const DEFAULT_MESSAGE_BYTES = 64 * 1024 * 1024;
const DEFAULT_IN_FLIGHT = 100;
/** Time limit for a server whose entry is invalid. It is never ready. */
export const DEFAULT_REQUEST_MS = 30_000;
export const DEFAULT_LOG_LEVEL: LoggingLevel = 'info';

/** The number of requests that a server gets at once, at least one. */
export const requestsInFlight = ({ requestsInFlight: limit }: ConnectionOptions): number =>
  Math.max(1, limit?.() ?? DEFAULT_IN_FLIGHT);

/** The interval between pings of an idle server, in milliseconds; 0: never. */
export const pingInterval = ({ pingIntervalMs }: ConnectionOptions): number => pingIntervalMs?.() ?? DEFAULT_PING_MS;

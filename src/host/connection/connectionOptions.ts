import type { LoggingLevel } from '@modelcontextprotocol/client';
import { type Phrase, phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { ServerPurpose } from '../definition/launchGate';
import { START_POLICIES } from '../settings';
import type { TraceLimits } from '../trace/traceLog';
import type { RestartOptions } from './restarts';
import { isRunning, type ServerState } from './serverState';

/** Which calls may be sent again, by what their tools say of themselves. */
export type ReplayedCalls = 'readOnlyAndIdempotent' | 'readOnlyOrIdempotent' | 'never';

export interface ConnectionLimits {
  /** A larger message of a server is skipped. Asked at each start. */
  readonly messageBytes: number;
  /** Requests that one server gets at once, at least one; further ones wait. */
  readonly requestsInFlight: number;
  /** Interval between pings of an idle server, in milliseconds; 0: never. */
  readonly pingIntervalMs: number;
}

/** Limits as a person has set them. Undefined: the default counts. */
export type SetLimits = { readonly [L in keyof ConnectionLimits]?: ConnectionLimits[L] | undefined };

/** Settings of all connections. Functions are called when needed: changes apply without a restart. */
export interface ConnectionOptions extends StartOptions {
  /** What servers are started for. Default: `server`. */
  purpose?: ServerPurpose;
  restart?: RestartOptions;
  limits?: () => SetLimits;
  /** Which calls are sent again when the answer was lost. Default: `readOnlyAndIdempotent`. */
  replaySafeCalls?: () => ReplayedCalls;
  /** Whether servers are asked to say when their types of events change (SEP-3415). Default: no. */
  events?: () => boolean;
  /** How many messages the trace keeps. Asked whenever the host is given definitions. Default: none. */
  trace?: () => TraceLimits;
  /** How long a start may take before it is called slow, in milliseconds. Default: 10 s. */
  slowStartMs?: number;
}

/** Time limit for a server whose entry is invalid. It is never ready. */
export const DEFAULT_REQUEST_MS = 30_000;
export const DEFAULT_LOG_LEVEL: LoggingLevel = 'info';

/** The limits that count, with the defaults that the manifest names, too (test `unit/manifest`). */
export function limitsOf({ limits }: ConnectionOptions): ConnectionLimits {
  const { messageBytes = 64 * 1024 * 1024, requestsInFlight = 100, pingIntervalMs = 30_000 } = limits?.() ?? {};
  return { messageBytes, requestsInFlight, pingIntervalMs };
}

/** When a server starts: `onStartup` when configured, `onDemand` by the first request, `never` by a person only. */
export type StartPolicy = (typeof START_POLICIES)[number];

/** Settings that decide besides the entry of a server. */
interface StartOptions {
  /** When servers start whose entry does not say so. Default: `onStartup`. */
  start?: () => StartPolicy;
  /** Overrides when a server starts. Undefined: no override. */
  startInstead?: (definition: ServerDefinition) => StartPolicy | undefined;
}

/**
 * The policy of one server: its entry wins over the setting for all, and `startInstead` over both. A disabled server is started
 * by a person only; an invalid entry is tried at once, so that it says what is wrong with it.
 */
export function startPolicy(definition: ServerDefinition, { start, startInstead }: StartOptions): StartPolicy {
  const { entry } = definition;
  if (!entry) return 'onStartup';
  if (!entry.enabled) return 'never';
  const policy = startInstead?.(definition) ?? entry.start ?? start?.();
  return policy !== undefined && START_POLICIES.includes(policy) ? policy : 'onStartup';
}

interface ConfiguredServer {
  readonly definition: ServerDefinition;
  readonly policy: StartPolicy;
}

/** What to do with a server in this state after its settings changed. Undefined: it applies without a restart. */
export function stepAfterChange(
  before: ConfiguredServer,
  now: ConfiguredServer,
  state: ServerState['kind'],
): { readonly what: 'start' | 'stop' | 'restart'; readonly why: Phrase } | undefined {
  const isAnother = before.definition.fingerprint !== now.definition.fingerprint;
  const startsItself = now.policy === 'onStartup';
  if (now.definition.entry?.enabled === false) {
    // A disabled server that a person started anyway keeps running.
    const wasDisabled = before.definition.entry?.enabled === false;
    return isAnother || !wasDisabled ? { what: 'stop', why: phrase('it was disabled in settings') } : undefined;
  }
  if (isAnother) {
    return { what: startsItself || isRunning(state) ? 'restart' : 'stop', why: phrase('its settings entry changed') };
  }
  if (before.policy !== now.policy && startsItself && state === 'stopped') {
    return { what: 'start', why: phrase('settings now start it automatically') };
  }
  return undefined;
}

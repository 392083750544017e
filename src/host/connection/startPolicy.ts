import type { ServerDefinition } from '../definition/definition';
import { START_POLICIES } from '../settings';

/**
 * When a server is started: `onStartup` as soon as it is configured, `onDemand` by the first request to it, `never` by a
 * person only.
 */
export type StartPolicy = (typeof START_POLICIES)[number];

/** Settings that decide besides the entry of a server. */
export interface StartOptions {
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

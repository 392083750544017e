import type { ServerDefinition } from '../definition';
import { START_POLICIES } from '../settings';

/**
 * When a server is started: `onStartup` as soon as it is configured, `onDemand` by the first request to it, `never` by a
 * person only.
 */
export type StartPolicy = (typeof START_POLICIES)[number];

/**
 * The policy of one server: its entry wins over the setting for all. A disabled server is started by a person only; an
 * invalid entry is tried at once, so that it says what is wrong with it.
 */
export function startPolicy({ entry }: ServerDefinition, forAll: StartPolicy | undefined): StartPolicy {
  if (!entry) return 'onStartup';
  if (!entry.enabled) return 'never';
  const policy = entry.start ?? forAll;
  return policy !== undefined && START_POLICIES.includes(policy) ? policy : 'onStartup';
}

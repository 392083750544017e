import { type Phrase, phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { ServerState } from './serverState';
import type { StartPolicy } from './startPolicy';

/** One version of a server's settings. */
interface Configured {
  readonly definition: ServerDefinition;
  readonly policy: StartPolicy;
}

/** The action that a change of settings requires, and the reason for the log. */
interface Step {
  readonly what: 'start' | 'stop' | 'restart';
  readonly why: Phrase;
}

/**
 * Returns what to do with a server in this state after its settings changed. Undefined: the change applies without a restart.
 */
export function stepAfterChange(before: Configured, now: Configured, state: ServerState['kind']): Step | undefined {
  const isAnother = before.definition.fingerprint !== now.definition.fingerprint;
  const startsItself = now.policy === 'onStartup';
  if (now.definition.entry?.enabled === false) {
    // A disabled server that a person started anyway keeps running.
    const wasDisabled = before.definition.entry?.enabled === false;
    return isAnother || !wasDisabled ? { what: 'stop', why: phrase('it was disabled in settings') } : undefined;
  }
  if (isAnother) {
    const isRunning = state === 'starting' || state === 'ready' || state === 'reconnecting';
    return { what: startsItself || isRunning ? 'restart' : 'stop', why: phrase('its settings entry changed') };
  }
  if (before.policy !== now.policy && startsItself && state === 'stopped') {
    return { what: 'start', why: phrase('settings now start it automatically') };
  }
  return undefined;
}

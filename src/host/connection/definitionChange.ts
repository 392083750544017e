import { type Phrase, phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { StartPolicy } from './startPolicy';
import type { ServerState } from './state';

/** What settings say of a server at one time. */
interface Configured {
  readonly definition: ServerDefinition;
  readonly policy: StartPolicy;
}

/** What is to be done with a server, and why. */
interface Step {
  readonly what: 'start' | 'stop' | 'restart';
  readonly why: Phrase;
}

/** What a server in this state needs when settings say something else of it. Undefined: what changed applies as it is. */
export function stepAfterChange(before: Configured, now: Configured, state: ServerState['kind']): Step | undefined {
  const isAnother = before.definition.fingerprint !== now.definition.fingerprint;
  const startsItself = now.policy === 'onStartup';
  if (now.definition.entry?.enabled === false) {
    // One that a person started all the same is left alone.
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

import type { Event } from '../../base/events';
import { MAX_TIMER_MS } from '../../base/numberText';
import type { ServerState } from './serverState';

/**
 * Turns a configured limit into one that a timer accepts: `Infinity` and larger values become the longest, invalid ones
 * `fallback`.
 */
export function timerMs(value: number | undefined, fallback: number): number {
  return value !== undefined && value > 0 ? Math.min(value, MAX_TIMER_MS) : fallback;
}

/** Whether the state is transient, and soon ends in `ready` or in one that says why not. */
export function isTransient(state: ServerState): boolean {
  return state.kind === 'starting' || (state.kind === 'reconnecting' && !state.isDown);
}

/** Waits while a server is starting or reconnecting, at most `limitMs`, or until `signal` is aborted. Never rejects. */
export function untilSettled(
  connection: { readonly state: ServerState; readonly onDidChangeState: Event<ServerState> },
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!isTransient(connection.state) || signal?.aborted) return Promise.resolve();
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(timer);
      subscription.dispose();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, limitMs);
    const subscription = connection.onDidChangeState(state => {
      if (!isTransient(state)) finish();
    });
    signal?.addEventListener('abort', finish);
  });
}

import type { Client } from '@modelcontextprotocol/client';
import { LeanClient } from '../leanClient';

interface Limit {
  timeoutId: NodeJS.Timeout;
  timeout: number;
  startTime: number;
  onTimeout: () => void;
}

const HOLD_MS = 200;

/** Limits that stand still: for how many questions, and since when. */
const holds = new WeakMap<Limit, { count: number; readonly since: number }>();

/**
 * Waits for a person without taking that time from the limits of the requests in flight: a tool call that asks in between
 * is not late while somebody fills in its form. The SDK has no way to say so; this reaches for its timers.
 */
export async function onPersonsTime<T>(client: Client, signal: AbortSignal, wait: () => Promise<T>): Promise<T> {
  const limits = Reflect.get(client, '_timeoutInfo') as ReadonlyMap<number, Limit> | undefined;
  const held = [...(limits ?? [])];
  const stop = () => {
    for (const [, limit] of held) clearTimeout(limit.timeoutId);
  };
  stop();
  const releaseCalls = client instanceof LeanClient ? client.holdCalls() : undefined;
  for (const [, limit] of held) {
    const hold = holds.get(limit) ?? { count: 0, since: Date.now() };
    hold.count++;
    holds.set(limit, hold);
  }
  // Progress sets a limit going again.
  const timer = setInterval(stop, HOLD_MS);
  let isOver = false;
  const resume = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    signal.removeEventListener('abort', resume);
    releaseCalls?.();
    stop();
    for (const [id, limit] of held) {
      const hold = holds.get(limit)!;
      if (--hold.count > 0) continue;
      holds.delete(limit);
      if (limits?.get(id) !== limit) continue;
      limit.startTime += Date.now() - hold.since;
      limit.timeoutId = setTimeout(limit.onTimeout, limit.timeout);
    }
  };
  // A question that is withdrawn holds nothing up, whoever still thinks of it.
  signal.addEventListener('abort', resume);
  try {
    return await wait();
  } finally {
    resume();
  }
}

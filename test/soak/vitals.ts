// What a process holds, as plain values that can be compared.

export interface Vitals {
  heapBytes: number;
  /** What keeps the event loop alive, by kind. Timers are left out: they come and go. */
  resources: Record<string, number>;
  /** Listeners on `process`, by event. */
  listeners: Record<string, number>;
}

/** Looks at this process after a garbage collection; needs `--expose-gc` for a heap that means something. */
export function vitals(): Vitals {
  // What only a finalizer holds goes with the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const resources = process.getActiveResourcesInfo().filter(kind => !/^(Timeout|Immediate)$/.test(kind));
  return {
    heapBytes: process.memoryUsage().heapUsed,
    resources: count(resources),
    listeners: Object.fromEntries(process.eventNames().map(name => [String(name), process.listenerCount(name)])),
  };
}

/** What is more in `after` than in `before`, as text; empty when nothing is. */
export function growth(before: Record<string, number>, after: Record<string, number>): string {
  return Object.entries(after)
    .filter(([kind, now]) => now > (before[kind] ?? 0))
    .map(([kind, now]) => `${kind} ${before[kind] ?? 0} → ${now}`)
    .join(', ');
}

/** Gathers what Node complains of while it listens: leaks of listeners, rejections that nobody handled. */
export class Complaints {
  readonly texts: string[] = [];
  readonly #onWarning = (warning: Error) => void this.texts.push(`${warning.name}: ${warning.message}`);
  readonly #onRejection = (reason: unknown) =>
    void this.texts.push(`unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`);

  listen(): void {
    process.on('warning', this.#onWarning);
    process.on('unhandledRejection', this.#onRejection);
  }

  stop(): void {
    process.off('warning', this.#onWarning);
    process.off('unhandledRejection', this.#onRejection);
  }
}

function count(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

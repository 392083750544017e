import type { ServerId } from '../../host';

const MAX_OPEN = 3;
const MAX_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** How many notifications each server may cause: three that are open at a time, ten in a minute. */
export class NoticeLimit {
  readonly #servers = new Map<ServerId, { open: number; shown: number[] }>();

  /** @param now milliseconds that never go back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes a place for one notification. Undefined: there is none; otherwise call it when the notification is closed. */
  open(server: ServerId): (() => void) | undefined {
    const of = this.#servers.get(server) ?? { open: 0, shown: [] };
    this.#servers.set(server, of);
    const now = this.now();
    of.shown = of.shown.filter(at => now - at < MINUTE_MS);
    if (of.open >= MAX_OPEN || of.shown.length >= MAX_PER_MINUTE) return undefined;
    of.open++;
    of.shown.push(now);
    return () => void of.open--;
  }
}

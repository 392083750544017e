import { getOrInsert } from '../base/events';
import type { ServerId } from '../host/definition';

const MAX_OPEN = 3;
const MAX_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** Limits how many notifications each server may cause: three open at a time, ten in a minute. */
export class NoticeLimit {
  readonly #servers = new Map<ServerId, { open: number; shown: number[] }>();

  /** @param now a monotonic clock, in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Reserves a place for a notification. Returns what frees it, or undefined if there is none. */
  open(server: ServerId): (() => void) | undefined {
    const of = getOrInsert(this.#servers, server, () => ({ open: 0, shown: [] }));
    const now = this.now();
    of.shown = of.shown.filter(at => now - at < MINUTE_MS);
    if (of.open >= MAX_OPEN || of.shown.length >= MAX_PER_MINUTE) return undefined;
    of.open++;
    of.shown.push(now);
    return () => void of.open--;
  }
}

import { PerMinute } from '../base/rateAllowance';
import type { ServerId } from '../host/definition';

const MAX_OPEN = 3;
const MAX_PER_MINUTE = 10;

/** Limits how many notifications each server may cause: three open at a time, ten in a minute. */
export class NoticeLimit {
  readonly #open = new Map<ServerId, number>();

  constructor(private readonly shown = new PerMinute(() => performance.now())) {}

  /** Reserves a place for a notification. Returns what frees it, or undefined if there is none. */
  open(server: ServerId): (() => void) | undefined {
    const open = this.#open.get(server) ?? 0;
    if (open >= MAX_OPEN || this.shown.wait(server, MAX_PER_MINUTE) > 0) return undefined;
    this.#open.set(server, open + 1);
    return () => void this.#open.set(server, this.#open.get(server)! - 1);
  }
}

import { numberText } from './numberText';

/** The longest timer in Node, in milliseconds: a longer one fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** In the person's language: `12 ms`, `3.4 s`, `2 min 5 s`; in detail `0.4 ms`, `1.25 s`. */
export function formatDuration(ms: number, isDetailed = false): string {
  if (isDetailed && ms < 10) return `${numberText(ms, 1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${numberText(ms / 1_000, isDetailed ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

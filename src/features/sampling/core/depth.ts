/** Something that goes on since then, as `performance.now()` tells. */
export interface Span {
  readonly started: number;
}

/**
 * How deep a request is in sampling: 1 when none of the calls that its server works on was made while a model was answering
 * another request; one more for each that was answering when such a call was made, and still is: it may wait for the call.
 */
export function depthOf(calls: readonly Span[], generating: readonly Span[]): number {
  const around = calls.map(call => generating.filter(({ started }) => started < call.started).length);
  return 1 + Math.max(0, ...around);
}

export interface ScriptLimits {
  /** Computing time in milliseconds. The clock stands still while a call runs or a person is asked. */
  readonly computeMs: number;
  readonly memoryBytes: number;
  readonly output: number;
  readonly calls: number;
  /** Characters of the arguments of one call, and of its result. */
  readonly args: number;
  readonly result: number;
}

export const DEFAULT_LIMITS: ScriptLimits = {
  computeMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  output: 1_000_000,
  calls: 100,
  args: 1_000_000,
  result: 8_000_000,
};

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

/** Why a script did not come to its end. `line`: of the script, from 1, if it is known. */
export interface ScriptProblem {
  readonly kind:
    | 'syntax'
    /** It threw, or did not catch what a call threw. */
    | 'thrown'
    | 'time'
    | 'memory'
    | 'depth'
    | 'calls'
    /** It waits for something that never comes. */
    | 'stuck'
    | 'crashed'
    | 'stopped';
  readonly message: string;
  readonly line?: number | undefined;
}

export interface ScriptEnd {
  /** Its output, and its returned value. */
  readonly output: string;
  readonly problem?: ScriptProblem | undefined;
}

export interface ScriptStart {
  readonly script: string;
  readonly limits: ScriptLimits;
}

/** From the worker. `idle`: it waits for results. */
export type FromScript =
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly args: string }
  | { readonly type: 'idle' }
  | { readonly type: 'end'; readonly end: ScriptEnd };

/** To the worker: how a call ended. `text`: its result as JSON, or what the call throws. */
export interface ToScript {
  readonly id: number;
  readonly isResult: boolean;
  readonly text: string;
}

import type { ScriptLimits } from './scriptLimits';

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

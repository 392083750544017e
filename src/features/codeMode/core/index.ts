export { canRunScripts, runScript } from './isolate';
export { DEFAULT_LIMITS } from './scriptLimits';
export type { ScriptEnd, ScriptProblem } from './scriptMessages';

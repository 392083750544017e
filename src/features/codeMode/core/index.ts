export { canRunScripts, runScript } from './isolate';
export { DEFAULT_LIMITS, type ScriptEnd, type ScriptProblem } from './scriptMessages';

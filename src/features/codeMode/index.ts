export { canRunScripts, runScript } from './core/isolate';
export { DEFAULT_LIMITS, type ScriptEnd, type ScriptProblem } from './core/scriptMessages';

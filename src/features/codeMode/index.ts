export { canRunScripts, runScript } from './core/isolate';
export { DEFAULT_LIMITS, type ScriptEnd, type ScriptLimits, type ScriptProblem } from './core/scriptMessages';

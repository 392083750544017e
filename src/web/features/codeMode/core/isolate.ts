import type { ScriptEnd } from '../../../../features/codeMode/core/scriptMessages';

/** Scripts run in processes, which web windows do not have. */
export const canRunScripts = false;

export function runScript(): Promise<ScriptEnd> {
  return Promise.resolve({ output: '', problem: { kind: 'crashed', message: 'Scripts do not run in web windows.' } });
}

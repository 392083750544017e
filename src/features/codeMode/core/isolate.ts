import { messageOf } from '../../../base/errors';
import { isolatedProcess } from '../../../base/isolatedProcess';
import { isObject } from '../../../base/json';
import type { ScriptLimits } from './scriptLimits';
import type { FromScript, ScriptEnd, ScriptProblem, ScriptStart, ToScript } from './scriptMessages';

/** Whether this window has processes for scripts. */
export const canRunScripts = true;

/** How long the process may be silent beyond what the script may compute. Its own clock stops it sooner, unless the engine hangs. */
const GRACE_MS = 5_000;
const START_MS = 60_000;

export interface WantedScript {
  readonly script: string;
  readonly limits: ScriptLimits;
  readonly program: string;
  readonly signal: AbortSignal;
  /** Makes a call. @returns its result as JSON. Rejects with what the script is to catch. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
}

/** Runs a script in a process of its own: in a thread, it could break the editor's extensions. Never rejects. */
export function runScript({ script, limits, program, signal, call }: WantedScript): Promise<ScriptEnd> {
  return new Promise(resolve => {
    let calls = 0;
    let isOver = false;
    let watch: NodeJS.Timeout | undefined;
    const child = isolatedProcess(program);
    const end = (ended: ScriptEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(watch);
      signal.removeEventListener('abort', stop);
      child.kill('SIGKILL');
      resolve(ended);
    };
    const fail = (kind: ScriptProblem['kind'], message: string) => end({ output: '', problem: { kind, message } });
    const stop = () => fail('stopped', 'The script was stopped.');
    const expectSign = (ms: number) => {
      clearTimeout(watch);
      watch = setTimeout(
        () => fail('time', `The script computed for more than ${limits.computeMs / 1_000} seconds.`),
        ms,
      );
    };
    const answer = (message: ToScript) => {
      if (isOver) return;
      child.send(message, () => {});
      expectSign(limits.computeMs + GRACE_MS);
    };
    const make = async (id: number, name: string, json: string) => {
      try {
        const args: unknown = JSON.parse(json);
        const text = await call(name, isObject(args) ? args : {});
        if (text.length > limits.result)
          throw new Error(`This result has ${text.length} characters, too many for a script. Ask the tool for less.`);
        answer({ id, isResult: true, text });
      } catch (error) {
        answer({ id, isResult: false, text: messageOf(error, 4_000) });
      }
    };
    child.on('message', (message: FromScript) => {
      if (isOver) return;
      if (message.type === 'end') end(message.end);
      else if (message.type === 'ready') expectSign(limits.computeMs + GRACE_MS);
      else if (message.type === 'idle') clearTimeout(watch);
      else if (++calls > limits.calls) fail('calls', `The script made more than ${limits.calls} calls.`);
      else void make(message.id, message.name, message.args);
    });
    child.on('error', error => fail('crashed', `The script ended unexpectedly: ${messageOf(error, 500)}`));
    child.on('exit', () => fail('crashed', 'The script ended unexpectedly.'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop);
    child.send({ script, limits } satisfies ScriptStart, () => {});
    expectSign(START_MS);
  });
}

import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../base/errors';
import { isObject } from '../../../base/isObject';
import type { FromScript, ScriptEnd, ScriptLimits, ScriptProblem, ScriptStart, ToScript } from './scriptMessages';

/** Whether this window has threads for scripts. */
export const canRunScripts = true;

/** How long a worker may be silent beyond what the script may compute. Its own clock stops it sooner, unless the engine hangs. */
const GRACE_MS = 5_000;
const START_MS = 60_000;
/** The engine notices what is nested too deeply before the worker's own stack ends. */
const STACK_MB = 16;
const HEAP_MB = 256;

export interface WantedScript {
  readonly script: string;
  readonly limits: ScriptLimits;
  /** The file of the worker. */
  readonly program: string;
  readonly signal: AbortSignal;
  /** Makes a call. @returns its result as JSON. Rejects with what the script is to catch. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
}

/** Runs a script in an isolate in a thread of its own, which ends with it. Never rejects. */
export function runScript({ script, limits, program, signal, call }: WantedScript): Promise<ScriptEnd> {
  return new Promise(resolve => {
    let calls = 0;
    let isOver = false;
    let watch: NodeJS.Timeout | undefined;
    const worker = new Worker(program, {
      workerData: { script, limits } satisfies ScriptStart,
      // It inherits nothing of this process.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
    });
    const end = (ended: ScriptEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(watch);
      signal.removeEventListener('abort', stop);
      void worker.terminate();
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
      worker.postMessage(message);
      expectSign(limits.computeMs + GRACE_MS);
    };
    const make = async (id: number, name: string, json: string) => {
      try {
        if (json.length > limits.args) throw new Error(`These arguments have ${json.length} characters, too many.`);
        const args: unknown = JSON.parse(json);
        const text = await call(name, isObject(args) ? args : {});
        if (text.length > limits.result)
          throw new Error(`This result has ${text.length} characters, too many for a script. Ask the tool for less.`);
        answer({ id, isResult: true, text });
      } catch (error) {
        answer({ id, isResult: false, text: messageOf(error, 4_000) });
      }
    };
    worker.on('message', (message: FromScript) => {
      if (isOver) return;
      if (message.type === 'end') end(message.end);
      else if (message.type === 'ready') expectSign(limits.computeMs + GRACE_MS);
      else if (message.type === 'idle') clearTimeout(watch);
      else if (++calls > limits.calls) fail('calls', `The script made more than ${limits.calls} calls.`);
      else void make(message.id, message.name, message.args);
    });
    worker.on('error', error => fail('crashed', `The script ended unexpectedly: ${messageOf(error, 500)}`));
    worker.on('exit', () => fail('crashed', 'The script ended unexpectedly.'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop);
    expectSign(START_MS);
  });
}

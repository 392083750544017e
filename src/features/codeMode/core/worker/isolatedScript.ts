import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import type { ScriptEnd, ScriptLimits, ScriptProblem } from '../scriptMessages';
import { PRELUDE } from './prelude';

/** As the engine names the script in stacks. */
const FILE = 'script.js';
/** How many jobs (of promises) are done before the clock is looked at. */
const JOBS = 1_000;
/** The engine's own stack; the worker's is larger, so that the engine detects an overflow first. */
const STACK_BYTES = 512 * 1024;
const MAX_MESSAGE = 2_000;

/** One script in an engine of its own, which reaches nothing but the functions it is given here. */
export class Isolate {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #settle: QuickJSHandle;
  readonly #follow: QuickJSHandle;
  readonly #pending = new Set<number>();
  #output = '';
  #isCut = false;
  #usedMs = 0;
  #stepSince = performance.now();
  #isOvertime = false;
  /** The state of the script's promise. */
  #ended: { readonly problem?: ScriptProblem } | undefined;

  constructor(
    engine: Pick<QuickJSWASMModule, 'newRuntime'>,
    private readonly limits: ScriptLimits,
    call: (id: number, name: string, args: string) => void,
  ) {
    this.#runtime = engine.newRuntime();
    this.#runtime.setMemoryLimit(limits.memoryBytes);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    const context = this.#runtime.newContext();
    this.#context = context;
    const host = [
      context.newFunction('call', (id, name, args) => {
        this.#pending.add(context.getNumber(id));
        call(context.getNumber(id), context.getString(name), context.getString(args));
      }),
      context.newFunction('print', text => this.#print(context.getString(text))),
      context.newFunction('ended', (isDone, message, stack) => {
        const said = context.getString(message).slice(0, MAX_MESSAGE);
        this.#ended ??= context.dump(isDone)
          ? {}
          : { problem: { kind: kindOf(said), message: said, line: lineOf(context.getString(stack)) } };
      }),
    ];
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
    const made = context.unwrapResult(context.callFunction(prelude, context.undefined, ...host));
    this.#settle = context.getProp(made, 'settle');
    this.#follow = context.getProp(made, 'follow');
    this.#runtime.setInterruptHandler(() => this.#isOver());
  }

  /** Runs the script until it waits. */
  start(script: string): void {
    // On one line with what is around it, so that its lines keep their numbers.
    const result = this.#context.evalCode(`(async () => {${script}\n})()`, FILE);
    if (result.error) {
      const { name, message, stack, lineNumber } = Object(this.#context.dump(result.error)) as Record<string, unknown>;
      const line = typeof lineNumber === 'number' ? lineNumber : lineOf(String(stack));
      this.#ended = { problem: { kind: 'syntax', message: `${name}: ${message}`.slice(0, MAX_MESSAGE), line } };
      return;
    }
    this.#context.unwrapResult(this.#context.callFunction(this.#follow, this.#context.undefined, result.value));
  }

  /** Gives the script the result of a call, or what the call throws. */
  settle(id: number, isResult: boolean, text: string): void {
    const context = this.#context;
    this.#pending.delete(id);
    const parts = [context.newNumber(id), isResult ? context.true : context.false, context.newString(text)];
    const done = context.callFunction(this.#settle, context.undefined, ...parts);
    for (const part of parts) part.dispose();
    done.dispose();
  }

  /** Takes a step and does all that follows from it. @returns the end of the script, if it has come to it. */
  work(step: () => void): ScriptEnd | undefined {
    this.#stepSince = performance.now();
    try {
      step();
      while (!this.#isOver() && this.#runtime.hasPendingJob()) this.#runtime.executePendingJobs(JOBS).dispose();
    } catch (error) {
      // The engine itself has failed, and can't go on.
      const isDepth = error instanceof RangeError || String(error).includes('stack');
      const message = isDepth ? 'The script is nested too deeply.' : `The engine failed: ${error}`;
      return this.#end({ kind: isDepth ? 'depth' : 'crashed', message: message.slice(0, MAX_MESSAGE) });
    }
    if (this.#isOver()) {
      const message = `The script computed for more than ${this.limits.computeMs / 1_000} seconds.`;
      return this.#end({ kind: 'time', message, line: this.#ended?.problem?.line });
    }
    this.#usedMs += performance.now() - this.#stepSince;
    if (this.#ended?.problem) return this.#end(this.#ended.problem);
    if (this.#pending.size > 0) return undefined;
    if (this.#ended) return this.#end();
    return this.#end({ kind: 'stuck', message: 'The script waits for something that never comes.' });
  }

  #end(problem?: ScriptProblem): ScriptEnd {
    const output = this.#isCut ? `${this.#output}\n[Printed too much: the rest is left out.]` : this.#output;
    return problem ? { output, problem } : { output };
  }

  #isOver(): boolean {
    this.#isOvertime ||= this.#usedMs + performance.now() - this.#stepSince > this.limits.computeMs;
    return this.#isOvertime;
  }

  #print(text: string): void {
    const room = this.limits.output - this.#output.length;
    if (text.length >= room) this.#isCut = true;
    if (room > 0) this.#output += `${this.#output === '' ? '' : '\n'}${text}`.slice(0, room);
  }
}

/** The innermost line of the script in a stack of the engine's. */
function lineOf(stack: string): number | undefined {
  const [, line] = /\bscript\.js:(\d+)/.exec(stack) ?? [];
  return line === undefined ? undefined : Number(line);
}

function kindOf(message: string): ScriptProblem['kind'] {
  // It throws null when there is no memory left for an error.
  if (message.endsWith(': out of memory') || message === 'null') return 'memory';
  return message.endsWith(': stack overflow') ? 'depth' : 'thrown';
}

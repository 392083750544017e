import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import type { ScriptLimits } from '../scriptLimits';
import type { FromScript, ScriptEnd, ScriptProblem, ScriptStart, ToScript } from '../scriptMessages';

/** Node has it; only the types of pages say so. */
const { Memory } = (globalThis as unknown as Record<'WebAssembly', { Memory: new (pages: object) => object }>)
  .WebAssembly;

/** Large enough that the engine detects deep nesting first. The stack of a main thread cannot be chosen. */
const STACK_MB = 16;
const HEAP_MB = 256;
/** The engine's memory at the start, in pages. It needs little of that itself. */
const FIRST_PAGES = 256;
const PAGE_BYTES = 64 * 1024;

/** Runs one script in a thread. Whatever happens to this process, nothing but that script is lost. */
function passOn(start: ScriptStart): void {
  const worker = new Worker(__filename, {
    workerData: start,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
  });
  worker.on('message', (message: FromScript) => process.send?.(message));
  process.on('message', (message: ToScript) => worker.postMessage(message));
  worker.on('exit', () => process.exit());
}

async function run({ script, limits }: ScriptStart, port: NonNullable<typeof parentPort>): Promise<void> {
  const post = (message: FromScript) => port.postMessage(message);
  const wasm = brotliDecompressSync(readFileSync(join(__dirname, 'quickjs.br')));
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer;
  // The engine's own limit knows how many blocks there are, not how large they are.
  const maximum = FIRST_PAGES + Math.ceil(limits.memoryBytes / PAGE_BYTES);
  const wasmMemory = new Memory({ initial: FIRST_PAGES, maximum });
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmBinary, wasmMemory }));
  post({ type: 'ready' });
  const isolate = new Isolate(engine, limits, (id, name, args) => post({ type: 'call', id, name, args }));
  const goOn = (step: () => void) => {
    const end = isolate.work(step);
    if (end) post({ type: 'end', end });
    else post({ type: 'idle' });
  };
  port.on('message', ({ id, isResult, text }: ToScript) => goOn(() => isolate.settle(id, isResult, text)));
  goOn(() => isolate.start(script));
}

if (parentPort) void run(workerData as ScriptStart, parentPort);
else {
  process.once('message', passOn);
  // The process that wants its results has ended.
  process.once('disconnect', () => process.exit());
}

/** As the engine names the script in stacks. */
const FILE = 'script.js';
/** How many jobs (of promises) are done before the clock is looked at. */
const JOBS = 1_000;
/** The engine's own stack; the worker's is larger, so that the engine detects an overflow first. */
const STACK_BYTES = 512 * 1024;
const MAX_MESSAGE = 2_000;

/** One script in an engine of its own, which reaches nothing but the functions it is given here. */
class Isolate {
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
        const [tool, json] = [context.getString(name), context.getString(args)];
        // Before they go to the editor, in which whatever arrives takes memory.
        const size = tool.length + json.length;
        if (size > limits.args) return context.newString(`These arguments have ${size} characters, too many.`);
        this.#pending.add(context.getNumber(id));
        call(context.getNumber(id), tool, json);
        return context.undefined;
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

/**
 * The globals of a script besides JavaScript itself: `tools` and `console`. It runs inside the isolate before the script, which
 * can change whatever it finds there: that harms only the script, since all limits are enforced outside.
 *
 * The value is a function that gets three functions of the worker, and gives it two: one that takes the results of calls, one
 * that follows the promise of the script.
 */
const PRELUDE = `(function (call, print, ended) {
  'use strict';
  const { parse, stringify } = JSON;
  const pending = new Map();
  let count = 0;

  function make(name) {
    return (args = {}) => {
      // Made here, so that its stack names the line of the call.
      const failure = new Error();
      failure.name = 'ToolError';
      return new Promise((resolve, reject) => {
        const json = stringify(args);
        if (json === undefined || json[0] !== '{') {
          failure.message = 'A tool takes one object with its arguments.';
          return reject(failure);
        }
        const id = ++count;
        pending.set(id, { resolve, reject, failure });
        const refusal = call(id, name, json);
        if (refusal !== undefined) settle(id, false, refusal);
      });
    };
  }

  function settle(id, isResult, text) {
    const { resolve, reject, failure } = pending.get(id);
    pending.delete(id);
    if (isResult) return resolve(parse(text));
    failure.message = text;
    reject(failure);
  }

  function withoutCycles() {
    const path = [];
    return function (_key, value) {
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'function') return '[function]';
      if (value instanceof Map) value = Object.fromEntries(value);
      if (value instanceof Set) value = [...value];
      if (value instanceof Error) return value.name + ': ' + value.message;
      if (typeof value !== 'object' || value === null) return value;
      while (path.length > 0 && path.at(-1) !== this) path.pop();
      if (path.includes(value)) return '[cyclic]';
      path.push(value);
      return value;
    };
  }

  function shown(value) {
    if (typeof value === 'string') return value;
    try {
      return stringify(value, withoutCycles()) ?? String(value);
    } catch (error) {
      return '[cannot be shown: ' + error + ']';
    }
  }

  const log = (...values) => print(values.map(shown).join(' '));
  globalThis.console = Object.freeze({ log, info: log, debug: log, warn: log, error: log });
  globalThis.tools = new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? make(name) : undefined),
  });

  function follow(promise) {
    promise.then(
      value => {
        if (value !== undefined) log(value);
        ended(true, '', '');
      },
      error => {
        const isError = error instanceof Error;
        ended(false, isError ? error.name + ': ' + error.message : shown(error), isError ? String(error.stack) : '');
      },
    );
  }

  return { settle, follow };
})`;

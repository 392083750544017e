import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type { FromScript, ScriptStart, ToScript } from '../scriptMessages';
import { Isolate } from './isolatedScript';

/** So that the engine notices what is nested too deeply before the stack ends. That of a process is not ours to choose. */
const STACK_MB = 16;
const HEAP_MB = 256;

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
  const wasm = readFileSync(join(__dirname, 'quickjs.wasm'));
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer;
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmBinary }));
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
  // Whoever wants its results is gone.
  process.once('disconnect', () => process.exit());
}

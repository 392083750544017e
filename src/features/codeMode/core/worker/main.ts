import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type { FromScript, ScriptStart, ToScript } from '../scriptMessages';
import { Isolate } from './isolatedScript';

/** The program of a worker, which runs one script and ends. Whatever happens to it, nothing but that script is lost. */
async function main(port: MessagePort, { script, limits }: ScriptStart): Promise<void> {
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

if (parentPort) void main(parentPort, workerData as ScriptStart);

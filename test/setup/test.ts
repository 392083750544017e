// npm test [unit|editor|ui …] [--grep <pattern>]: the layers, one after the other. The last line is the sum.
import { parseArgs } from 'node:util';
import { chromium } from './chromium';
import { chooseHost } from './host';
import { vscodeServer } from './installServer';
import { type Layer, type LayerResult, layers, leftOutLines, problem, runLayer } from './layers';
import { endWithStarter } from './processes';
import { productVsix } from './vsix';

const stopping = new AbortController();
let exitCode = 130;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

/** What a layer needs that takes long or may be missing; not counted in its time. */
async function prepare({ name, browser }: Layer): Promise<NodeJS.ProcessEnv> {
  if (browser && (name === 'ui' || (await chooseHost()) === 'server')) {
    await vscodeServer();
    await chromium();
  }
  return name === 'ui' ? { TEST_VSIX: await productVsix() } : {};
}

async function run(layer: Layer): Promise<LayerResult> {
  console.log(`\n=== ${layer.name}`);
  try {
    return await runLayer(layer, await prepare(layer), stopping.signal);
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error));
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { grep: { type: 'string', short: 'g' } },
  });
  if (values.grep) process.env.MOCHA_GREP = values.grep;
  const unknown = positionals.find(name => !layers.some(layer => layer.name === name));
  if (unknown) throw new Error(`there is no layer "${unknown}"; the layers are ${layers.map(l => l.name).join(', ')}`);

  let [passed, failed] = [0, 0];
  const lines: string[] = [];
  for (const layer of layers.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    const started = Date.now();
    const result = await run(layer);
    const { passes, failures, problems } = result;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    passed += passes;
    failed += failures + problems.length;
    lines.push(`${layer.name}: ${passes} passed, ${failures + problems.length} failed (${seconds} s)`);
    for (const why of leftOutLines(result)) lines.push(`${layer.name}: ${why}`);
    for (const why of problems) lines.push(`${layer.name}: ${why}`);
    if (stopping.signal.aborted) break;
  }
  if (passed + failed === 0) {
    failed = 1;
    lines.push('no test ran');
  }
  console.log(`\n${lines.join('\n')}\n${passed} passed, ${failed} failed`);
  exitCode = stopping.signal.aborted ? 130 : failed > 0 ? 1 : 0;
}

endWithStarter();
main().then(
  () => {
    process.exitCode = exitCode;
  },
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);

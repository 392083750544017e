// Files with windows that fail are run once more: what passes then is flaky, which is a bug to find, and no failure of the change.
import * as fs from 'node:fs';
import { type Layer, type LayerResult, type RunOptions, runLayers } from './layers';
import { inRepository } from './paths';
import type { FileResult } from './pool';

/** More are no accident. */
const MAX_FLAKY = 3;

/** A file that failed and then passed. */
export interface Flaky {
  readonly first: FileResult;
  readonly second: FileResult;
}

/**
 * Runs files with windows that failed once more, one after the other, each in a fresh process with the machine to itself. The
 * results of those that pass then take the place of the first, unless it is strict.
 */
export async function runAgain(
  layers: readonly Layer[],
  results: Map<string, LayerResult>,
  { isStrict, ...options }: Pick<RunOptions, 'signal' | 'print'> & { isStrict: boolean },
): Promise<Flaky[]> {
  const failed = layers
    .filter(({ hasWindow }) => hasWindow)
    .flatMap(layer => results.get(layer.name)!.files.map(first => ({ layer, first })))
    .filter(({ first }) => first.failures.length > 0);
  if (failed.length > MAX_FLAKY || options.signal.aborted) return [];
  const flaky: Flaky[] = [];
  for (const { layer, first } of failed) {
    options.print?.(`\n=== once more, alone: ${first.source}\n`);
    const again = await runLayers([layer], { ...options, isWanted: source => source === first.source, isAgain: true });
    const [second] = again.get(layer.name)!.files;
    if (!second || second.failures.length > 0 || second.passes === 0) continue;
    flaky.push({ first, second });
    const { files } = results.get(layer.name)!;
    if (!isStrict) files.splice(files.indexOf(first), 1, second);
  }
  return flaky;
}

/** A line for each test that failed first. Both outputs are kept in `artifacts/flaky.json`. */
export function tellFlaky(flaky: readonly Flaky[], file = inRepository('artifacts/flaky.json')): string[] {
  fs.rmSync(file, { force: true });
  if (flaky.length === 0) return [];
  const kept = flaky.map(({ first, second }) => ({
    file: first.source,
    first: { failures: first.failures, output: first.output },
    second: { passes: second.passes, output: second.output },
  }));
  fs.writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return flaky.flatMap(({ first: { source, failures } }) =>
    failures.map(({ title, message }) => `flaky: ${source}: ${title}: ${message} (passed alone: artifacts/flaky.json)`),
  );
}

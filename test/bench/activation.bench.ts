// What the extension adds to the start of a window in which no server is configured: the installed VSIX, activated by
// VS Code in fresh extension hosts, beside an extension that does nothing. Loading the code is part of it.

import { openWorkbench } from '../drivers/workbench';
import { inRepository } from '../setup/paths';
import { absolute, type BenchRow } from './row';

const [product, empty] = ['mcp-host.mcp-host', 'mcp-host-test.empty'];

/** Activated first: the first activation in a host pays for things that no extension can help. */
const warmUp = 'vscode.media-preview';

/** How many extension hosts are started. */
const windows = 7;

export async function* rows(): AsyncGenerator<BenchRow> {
  const w = await openWorkbench({
    workspace: 'editor',
    unpacked: [inRepository('test/bench/empty-extension'), inRepository('test/bench/stopwatch')],
    env: { STOPWATCH: `${warmUp},${empty},${product}` },
  });
  try {
    const more: number[] = [];
    for (let window = 0; window < windows; window++) {
      if (window > 0) await w.reload();
      const times = (await w.host.until(vscode => {
        const stopwatch = vscode.extensions.getExtension('mcp-host-test.stopwatch');
        return stopwatch?.isActive && stopwatch.exports;
      })) as Record<string, number>;
      more.push(times[product]! - times[empty]!);
    }
    yield absolute('activation, no server configured', more, 'ms more than an empty extension', 30);
  } finally {
    await w.close();
  }
}

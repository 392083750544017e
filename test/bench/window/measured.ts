// A window with the packaged product and the extension that measures.

import { openWorkbench, type Workbench, type WorkbenchOptions } from '../../drivers/workbench';
import { inRepository } from '../../setup/paths';
import type { NativeBench } from '../native/extension';

/** For one act of a person. */
const timeoutMs = 60_000;

/** Opens a window, has `use` measure in it, and closes it. */
export async function* withWindow<T>(
  options: WorkbenchOptions,
  use: (w: Workbench) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const w = await openWorkbench({ workspace: 'editor', ...options, unpacked: [inRepository('test/bench/native')] });
  w.page.setDefaultTimeout(timeoutMs);
  try {
    // Rejects when it could not be activated.
    await w.host.eval(async vscode => void (await vscode.extensions.getExtension('mcp-host-test.native')?.activate()));
    yield* use(w);
  } catch (error) {
    await w.save('benchmark-that-failed');
    throw error;
  } finally {
    await w.close();
  }
}

/** Runs one of the measurements in the extension host. */
export const run = <K extends keyof NativeBench>(w: Workbench, what: K, ...args: Parameters<NativeBench[K]>) =>
  w.host.eval(
    (vscode, key, given) => {
      const bench = vscode.extensions.getExtension('mcp-host-test.native')?.exports;
      return bench[key](...given);
    },
    what,
    args,
  ) as Promise<Awaited<ReturnType<NativeBench[K]>>>;

/** Writes settings of the person. Servers start with them. */
export const configure = (w: Workbench, servers: Readonly<Record<string, object>>): Promise<void> =>
  w.host.eval(async (vscode, value) => {
    await vscode.workspace.getConfiguration('mcpHost').update('servers', value, vscode.ConfigurationTarget.Global);
  }, servers);

/** Resolves when so many servers are ready. @returns when the window showed it, in milliseconds since 1970. */
export async function ready(w: Workbench, count: number): Promise<number> {
  await w.page.locator(`[id="mcp-host.mcp-host.mcpHost.status"][aria-label*=": ${count} ready, 0 failed"]`).waitFor();
  return Date.now();
}

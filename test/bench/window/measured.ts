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

/** Writes settings of the person. Servers start with them. @returns when the editor told of it, in milliseconds since 1970. */
export const configure = (w: Workbench, servers: Readonly<Record<string, object>>): Promise<number> =>
  w.host.eval(async (vscode, value) => {
    let toldAt: number | undefined;
    const listener = vscode.workspace.onDidChangeConfiguration(() => {
      toldAt ??= Date.now();
    });
    await vscode.workspace.getConfiguration('mcpHost').update('servers', value, vscode.ConfigurationTarget.Global);
    listener.dispose();
    return toldAt ?? Date.now();
  }, servers);

/** Resolves when so many servers are ready. @returns when the window showed it, in milliseconds since 1970. */
export async function ready(w: Workbench, count: number): Promise<number> {
  await w.page.locator(`[id="mcp-host.mcp-host.mcpHost.status"][aria-label*=": ${count} ready, 0 failed"]`).waitFor();
  return Date.now();
}

/** Resolves when the rows of these servers show their tools: the time, in milliseconds since 1970, and their number. */
export const rowsWithTools = (w: Workbench, names: readonly string[]): Promise<{ at: number; tools: number }> =>
  w.page.evaluate(rowsShown, names);

interface PageElement {
  querySelector(selector: string): { getAttribute(name: string): string | null } | null;
}
interface PageObserver {
  observe(element: PageElement, what: object): void;
  disconnect(): void;
}

/** Runs in the window. It looks when something changes: a look at each frame would cost what is measured. */
function rowsShown(names: readonly string[]): Promise<{ at: number; tools: number }> {
  const { document, MutationObserver } = globalThis as unknown as {
    document: PageElement;
    MutationObserver: new (changed: () => void) => PageObserver;
  };
  const labelOf = (name: string) =>
    document.querySelector(`[role=treeitem][aria-label^="${name},"][aria-label*=" tool"]`)?.getAttribute('aria-label');
  return new Promise((resolve, reject) => {
    const look = () => {
      const labels = names.map(labelOf);
      if (!labels.every(Boolean)) return;
      const at = Date.now();
      observer.disconnect();
      clearTimeout(limit);
      resolve({ at, tools: labels.reduce((sum, label) => sum + Number(/(\d+) tools?/.exec(label ?? '')?.[1]), 0) });
    };
    const limit = setTimeout(() => {
      observer.disconnect();
      reject(new Error(`Not all of ${names} showed tools in two minutes.`));
    }, 120_000);
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    look();
  });
}

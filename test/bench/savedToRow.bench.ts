// What a person waits for: from the key that saves a new server to its row with its tools in the Servers view. A share of it
// is the server's own; what counts is before its process begins, and after its tools were listed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeInEditor } from '../drivers/activeEditor';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';
import { userSettings } from '../setup/settings';
import { absolute, type BenchRow, relative } from './row';
import { wireServer } from './wire/rawClient';

const rounds = 12;

/** The tab of the settings keeps the focus. */
const steady = userSettings({ 'workbench.editor.useModal': 'off' });

interface Written {
  /** Where servers write their times. */
  folder: string;
  servers: Record<string, object>;
}

/** Milliseconds. */
interface Wait {
  untilBegun: number;
  /** From when the editor told extensions that its settings have changed. */
  sinceTold: number;
  /** From the list to the row that shows it. */
  untilShown: number;
}

export async function* rows(): AsyncGenerator<BenchRow> {
  const folder = temporaryFolder();
  const written: Written = { folder, servers: {} };
  const w = await openWorkbench({ workspace: 'editor', settings: steady });
  try {
    await w.host.command('workbench.view.extension.mcpHost');
    await w.host.command('workbench.action.openSettingsJson');
    await w.host.eval(noteChanges);
    await save(w, written, 1); // loads what a window without servers has not
    const waits: Wait[] = [];
    for (let number = 2; number < 2 + rounds; number++) waits.push(await save(w, written, number));
    // Until it tells extensions, the time is the editor's.
    yield relative(
      'from the key that saves a server to its process, beside the time when the editor tells extensions',
      waits.map(({ untilBegun }) => untilBegun),
      'ms',
      waits.map(({ untilBegun, sinceTold }) => untilBegun - sinceTold),
      1.25,
    );
    yield absolute(
      'from the changed settings to the process of the server',
      waits.map(({ sinceTold }) => sinceTold),
      'ms',
      60,
    );
    yield absolute(
      'from the list of tools to the row of its server',
      waits.map(({ untilShown }) => untilShown),
      'ms',
      60,
    );
  } finally {
    await w.close();
    remove(folder);
  }
}

/** Writes a new server into the settings that are open, and saves them with the keyboard. */
async function save(w: Workbench, { folder, servers }: Written, number: number): Promise<Wait> {
  const name = `wire-${number}`;
  const times = join(folder, name);
  servers[name] = { command: process.execPath, args: [wireServer, `--times=${times}`] };
  const settings = { ...steady, 'mcpHost.servers': servers };
  await writeInEditor(w.host, JSON.stringify(settings, null, 2), 'settings.json');
  await w.page.locator('.monaco-editor.focused').first().waitFor();
  const shown = w.page.evaluate(shownAt, name);
  await w.page.keyboard.press('ControlOrMeta+s');
  const { saved, row } = await shown;
  const { began, listed } = await waitFor(
    () => {
      try {
        return JSON.parse(readFileSync(times, 'utf8')) as { began: number; listed: number };
      } catch {
        return undefined;
      }
    },
    { what: 'the times of the server' },
  );
  const told = await w.host.eval(() => (globalThis as Noted).benchChangedAt ?? Number.NaN);
  return { untilBegun: began - saved, sinceTold: began - told, untilShown: row - listed };
}

/** The extension host, where the moment is kept at which settings changed last. */
type Noted = typeof globalThis & { benchChangedAt?: number };

/** Runs in the extension host. */
async function noteChanges(vscode: typeof import('vscode')): Promise<void> {
  vscode.workspace.onDidChangeConfiguration(() => {
    (globalThis as Noted).benchChangedAt = Date.now();
  });
}

/** Runs in the window: when the next key that saves is pressed, and when the row of a server shows its tools. */
function shownAt(name: string): Promise<{ saved: number; row: number }> {
  const page = globalThis as unknown as {
    document: {
      addEventListener(type: string, listener: (event: { key: string }) => void, capture: boolean): void;
      querySelector(selector: string): unknown;
    };
    requestAnimationFrame(next: () => void): void;
  };
  return new Promise(resolve => {
    let saved = 0;
    const note = ({ key }: { key: string }) => {
      if (key === 's') saved = Date.now();
    };
    page.document.addEventListener('keydown', note, true);
    const look = () => {
      if (saved && page.document.querySelector(`[role=treeitem][aria-label^="${name},"][aria-label*="tool"]`))
        resolve({ saved, row: Date.now() });
      else page.requestAnimationFrame(look);
    };
    look();
  });
}

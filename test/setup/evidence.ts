// Pictures and logs of what a failed test had open.
import * as fs from 'node:fs';
import * as path from 'node:path';

type Save = (name: string) => Promise<void>;
const sources = new Set<Save>();
const state = { saved: Promise.resolve() };

/** From now on `save` is called with a file name when a test fails. @returns a function that ends this. */
export function onFailedTest(save: Save): () => void {
  sources.add(save);
  return () => sources.delete(save);
}

/** Called for each failed test or hook; never fails itself. */
export function saveEvidence(title: string): Promise<void> {
  const name = title.replace(/[^\w-]+/g, '-').slice(0, 100);
  const saved = Promise.allSettled([...sources].map(save => save(name)));
  state.saved = saved.then(() => undefined);
  return state.saved;
}

/** Mocha does not wait for what is done about a failed hook: what closes a window has to. */
export const evidenceIsSaved = () => state.saved;

// Mistakes of the extension itself, as its log has them (`session.ts` of the host): a window that met one fails its tests.

/** The lines of the logs below a folder that tell of one. */
export function bugsIn(logs: string): string[] {
  if (!fs.existsSync(logs)) return [];
  return fs
    .readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter(file => file.includes('mcp-host.mcp-host') && file.endsWith('.log'))
    .flatMap(file => fs.readFileSync(path.join(logs, file), 'utf8').split('\n'))
    .filter(line => line.includes('Bug in MCP Host'));
}

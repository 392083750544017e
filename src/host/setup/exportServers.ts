import type { SettingsReading } from '../settings/reading';
import { freeId } from '../settings/settingsEdit';
import { type DraftEntry, type DraftInput, isObject, type Json, type ServerDraft, withInputIds } from './draft';
import { secretsToInputs } from './secrets';

/** A server of our settings, raw. */
export interface ExportedServer {
  name: string;
  entry: DraftEntry;
  /** Those of its settings file: the same list for all servers of one file. */
  inputs: readonly DraftInput[];
}

/** The fields of an entry that `mcp.json` of VS Code has too. */
const SHARED = ['type', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers'];

/**
 * The text of an `mcp.json` with these servers. No secret is in it: those in plain text become inputs, and values of inputs
 * are not even known here.
 */
export function exportText(servers: readonly ExportedServer[], reading: SettingsReading): string {
  const inputs = new Map<string, DraftInput>();
  // An id belongs to a settings file: that of another file is another input.
  const idsOfFiles = new Map<readonly DraftInput[], Map<string, string>>();
  const exported: Record<string, DraftEntry> = {};
  for (const { name, entry, inputs: known } of servers) {
    const draft: ServerDraft = {
      name,
      entry: plainEntry(name, entry, reading),
      inputs: known,
      values: new Map(),
      notes: [],
    };
    const { entry: safe, inputs: all } = secretsToInputs(draft, reading, { byName: true });
    let free = name;
    for (let n = 2; Object.hasOwn(exported, free); n++) free = `${name}-${n}`;
    const ids = new Map(idsOfFiles.get(known));
    const used = JSON.stringify(safe);
    for (const input of all.filter(({ id }) => !ids.has(id) && used.includes(`\${input:${id}}`))) {
      const id = inputs.has(input.id) ? freeId(input.id, inputs) : input.id;
      inputs.set(id, { ...input, id });
      ids.set(input.id, id);
    }
    exported[free] = withInputIds(safe, ids);
    idsOfFiles.set(known, new Map([...ids].filter(([id]) => known.some(input => input.id === id))));
  }
  const list = [...inputs.values()];
  return `${JSON.stringify({ ...(list.length > 0 && { inputs: list }), servers: exported }, null, 2)}\n`;
}

/** Only what the other host knows, its way: with a type, and a command line split as it is run here. */
function plainEntry(name: string, entry: DraftEntry, { parseServers }: SettingsReading): DraftEntry {
  const parsed = parseServers({ [name]: entry }).servers[0]?.entry as Json | undefined;
  const read = parsed ?? entry;
  const kept = SHARED.filter(key => read[key] !== undefined && !isEmpty(read[key])).map(key => [key, read[key]]);
  return Object.fromEntries(kept) as DraftEntry;
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

import type { SettingsReading } from '../settings/reading';
import { type DraftEntry, type DraftInput, isObject, type Json, type ServerDraft } from './draft';
import { secretsToInputs } from './secrets';

/** A server of our settings, raw, with the inputs of its settings file. */
export interface ExportedServer {
  name: string;
  entry: DraftEntry;
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
  const exported: Record<string, DraftEntry> = {};
  for (const { name, entry, inputs: known } of servers) {
    const draft: ServerDraft = {
      name,
      entry: plainEntry(name, entry, reading),
      inputs: known,
      values: new Map(),
      notes: [],
    };
    const { entry: safe, inputs: all } = secretsToInputs(draft, reading);
    let free = name;
    for (let n = 2; Object.hasOwn(exported, free); n++) free = `${name}-${n}`;
    exported[free] = safe;
    const used = JSON.stringify(safe);
    for (const input of all) if (used.includes(`\${input:${input.id}}`)) inputs.set(input.id, input);
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

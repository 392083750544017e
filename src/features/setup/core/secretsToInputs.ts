import { findPlainSecrets, parseServers } from '../../../host/settings';
import { freeId } from '../../settings';
import { type DraftEntry, type DraftInput, type Json, promptFor, type ServerDraft } from './serverDraft';

const LOOKS = 10;

/**
 * The draft with `${input:…}` for every secret in plain text; their values go into `values`.
 * @param byName see `findPlainSecrets`: for writing without a question about single values.
 * @param keep whether the string at a path within the entry stays unchanged.
 */
export function secretsToInputs(
  draft: ServerDraft,
  {
    byName = false,
    keep = () => false,
  }: { byName?: boolean; keep?: (path: readonly (string | number)[]) => boolean } = {},
): ServerDraft {
  const entry = structuredClone(draft.entry);
  const inputs: DraftInput[] = [...draft.inputs];
  const values = new Map(draft.values);
  const add = (name: string, value: string): string => {
    const known = new Map(inputs.map(input => [input.id, input]));
    const id = freeId(`${draft.name}-${name}`, known);
    inputs.push(promptFor(id, `${name} of the MCP server ${draft.name}`));
    values.set(id, value);
    return `\${input:${id}}`;
  };
  // One string may hold several: each look finds one more, and the last takes all of a string that still has some.
  for (let look = 0; look <= LOOKS; look++) {
    const [server] = parseServers({ [draft.name]: entry }).servers;
    const found = (server ? findPlainSecrets(server, { byName }) : []).filter(({ path }) => !keep(path.slice(1)));
    if (found.length === 0) break;
    if (
      server?.entry?.type === 'stdio' &&
      entry.args === undefined &&
      found.some(({ path }) => path.at(-2) === 'args')
    ) {
      // A whole command line in `command`: its secrets stand in the arguments that it is split into.
      const { command, args } = server.entry;
      Object.assign(entry, { command, ...(args.length > 0 && { args: [...args] }) });
    }
    for (const { path, name, value, index } of found) {
      if (look < LOOKS) replaceIn(entry, path.slice(1), { part: value, index, by: () => add(name, value) });
      else replaceAll(entry, path.slice(1), all => add(name, all));
    }
  }
  return { ...draft, entry, inputs, values };
}

function replaceAll(entry: DraftEntry, path: readonly (string | number)[], by: (text: string) => string): void {
  const { holder, key, text } = stringAt(entry, path);
  if (holder) holder[key] = by(text);
}

/** Replaces a part of the text at `path`. There may be spaces before `index` that reading has left out. */
function replaceIn(
  entry: DraftEntry,
  path: readonly (string | number)[],
  { part, index, by }: { part: string; index: number; by: () => string },
): void {
  const { holder, key, text } = stringAt(entry, path);
  const start = text.indexOf(part, index);
  if (holder && start >= 0) holder[key] = text.slice(0, start) + by() + text.slice(start + part.length);
}

function stringAt(entry: DraftEntry, path: readonly (string | number)[]) {
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => (value as Json)?.[key], entry) as Json | undefined;
  const key = path.at(-1)!;
  return { holder, key, text: String(holder?.[key]) };
}

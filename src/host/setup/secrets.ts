import type { SettingsReading } from '../settings/reading';
import { isSecretName } from '../settings/secretWords';
import { freeId } from '../settings/settingsEdit';
import { type DraftEntry, type DraftInput, isObject, type Json, promptFor, type ServerDraft } from './draft';

/**
 * The draft with `${input:…}` for every secret that stands in it in plain text; their values go into `values`.
 * @param byName also values that look like nothing, when the name of their variable or header says that they are secret:
 * for what a person has just typed.
 */
export function secretsToInputs(
  draft: ServerDraft,
  { findPlainSecrets, parseServers }: Pick<SettingsReading, 'findPlainSecrets' | 'parseServers'>,
  { byName = false } = {},
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
  // One string may hold several: each look finds one more.
  for (let look = 0; look < 10; look++) {
    const [server] = parseServers({ [draft.name]: entry }).servers;
    const found = server ? findPlainSecrets(server) : [];
    if (found.length === 0) break;
    for (const { path, name, value } of found) replaceIn(entry, path.slice(1), value, () => add(name, value));
  }
  if (byName) namedSecrets(entry, add);
  return { ...draft, entry, inputs, values };
}

/** Replaces a part of the text at `path`. */
function replaceIn(entry: DraftEntry, path: readonly (string | number)[], part: string, by: () => string): void {
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => (value as Json)?.[key], entry) as Json | undefined;
  const key = path.at(-1)!;
  const text = holder?.[key];
  if (holder && typeof text === 'string' && text.includes(part)) holder[key] = text.replace(part, () => by());
}

function namedSecrets(entry: DraftEntry, add: (name: string, value: string) => string): void {
  for (const pairs of [entry.env, entry.headers].filter(isObject)) {
    for (const [name, value] of Object.entries(pairs)) {
      if (typeof value !== 'string' || value === '' || value.includes('${') || !isSecretName(name)) continue;
      const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token|ApiKey)\s+)?(.*)$/is.exec(value) ?? [];
      if (secret) pairs[name] = scheme + add(name, secret);
    }
  }
}

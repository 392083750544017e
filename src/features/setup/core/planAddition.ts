import { canonicalJson } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { freeId } from '../../settings';
import { type DraftEntry, type DraftInput, inputIdsIn, mapTexts, type ServerDraft, withInputIds } from './serverDraft';

/** The existing settings of one scope, as written. */
export interface ExistingSettings {
  servers: Readonly<Record<string, unknown>>;
  inputs: readonly unknown[];
  /** Values of inputs by id, where known. */
  values?: ReadonlyMap<string, string>;
}

/** The additions to the settings of one scope. */
export interface SettingsAddition {
  servers: Record<string, DraftEntry>;
  inputs: DraftInput[];
  /** Values of inputs by id, for the secret storage. */
  values: Map<string, string>;
}

/** The place of a draft in settings: under its name, under a new one, or none because it exists. */
type Placement = { kind: 'new' | 'renamed'; name: string } | { kind: 'there'; name: string };

/** Where a draft would go, besides what is there. */
export function placementOf(draft: ServerDraft, { servers, values }: Omit<ExistingSettings, 'inputs'>): Placement {
  const taken = Object.entries(servers).find(([name, entry]) => isCopy(draft, name, entry, values));
  if (taken) return { kind: 'there', name: taken[0] };
  if (!Object.hasOwn(servers, draft.name)) return { kind: 'new', name: draft.name };
  for (let n = 2; ; n++) {
    const name = `${draft.name.slice(0, 95)}-${n}`;
    if (!Object.hasOwn(servers, name)) return { kind: 'renamed', name };
  }
}

/** Under its name, or the name that an earlier import had to give it. */
function isCopy(draft: ServerDraft, name: string, entry: unknown, values: ExistingSettings['values']): boolean {
  if (name !== draft.name && !(name.startsWith(`${draft.name.slice(0, 95)}-`) && /-\d+$/.test(name))) return false;
  return isObject(entry) && sameServer(draft, { entry, ...(values && { values }) });
}

/**
 * Whether another entry runs the same as a draft, with every value that the draft brings, whatever inputs are called in
 * them and whether they are enabled. A value that the draft does not bring is asked for, and may be any.
 */
export function sameServer(
  draft: Pick<ServerDraft, 'entry' | 'values'>,
  other: Pick<ServerDraft, 'entry'> & Partial<Pick<ServerDraft, 'values'>>,
): boolean {
  const brought = new Set(draft.values.values());
  const theirs = [...(other.values ?? [])].filter(([, value]) => brought.has(value));
  return comparable(draft.entry, draft.values) === comparable(other.entry, new Map(theirs));
}

function comparable({ enabled: _, ...entry }: DraftEntry, values: ReadonlyMap<string, string>): string {
  const { args, env, type, ...rest } = mapTexts(entry, text =>
    text.replace(/\$\{input:([^{}]*)\}/g, (_all, id: string) => values.get(id) ?? '${input}'),
  );
  const filled = { ...(Array.isArray(args) && args.length > 0 && { args }), ...(isObject(env) && { env }) };
  return canonicalJson({ ...rest, ...filled, type: type ?? (rest.command === undefined ? 'http' : 'stdio') });
}

/** Plans the addition of all drafts to existing settings: names and ids of inputs that are taken are changed. */
export function planAddition(drafts: readonly ServerDraft[], existing: ExistingSettings): SettingsAddition {
  const addition: SettingsAddition = { servers: {}, inputs: [], values: new Map() };
  const inputs = new Map(
    existing.inputs.filter(isObject).map(input => [String(input.id), input as Record<string, unknown>]),
  );
  for (const draft of drafts) {
    const placement = placementOf(draft, {
      servers: { ...existing.servers, ...addition.servers },
      values: new Map([...(existing.values ?? []), ...addition.values]),
    });
    if (placement.kind === 'there') continue;
    const ids = new Map<string, string>();
    // One that the entry does not name any more would stand in settings without having been reviewed.
    const named = inputIdsIn(draft.entry);
    for (const input of draft.inputs.filter(({ id }) => named.has(id))) {
      const present = inputs.get(input.id);
      const value = draft.values.get(input.id);
      // One with a value of its own is never shared: the other's value would be lost.
      const isShared = present !== undefined && value === undefined && canonicalJson(present) === canonicalJson(input);
      const id = isShared ? input.id : freeId(input.id, inputs);
      ids.set(input.id, id);
      if (isShared) continue;
      inputs.set(id, { ...input, id });
      addition.inputs.push({ ...input, id });
      if (value !== undefined) addition.values.set(id, value);
    }
    addition.servers[placement.name] = withInputIds(draft.entry, ids);
  }
  return addition;
}

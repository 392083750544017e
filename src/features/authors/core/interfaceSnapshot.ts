import { basename } from 'node:path';
import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import { messageOf } from '../../../base/errors';
import { readBounded, replaceFile } from '../../../base/files';
import { canonicalJson } from '../../../base/fingerprint';
import { indentedJson, isObject, mapTexts, ownMember, parsedJson } from '../../../base/json';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { ServerConnection } from '../../../host';
import { isEqual, type StepFailure } from './checkResult';

/** The interface of a server as in `mcp.snapshot.json`, by names. Resources are data that come and go. */
export interface InterfaceSnapshot {
  readonly version: 1;
  readonly instructions?: string;
  readonly tools: Readonly<Record<string, Item>>;
  readonly prompts: Readonly<Record<string, Item>>;
  readonly resourceTemplates: Readonly<Record<string, Item>>;
}

type Item = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

/** `breaking`: who uses it as before may fail. `added`: there is more than before. `wording`: only texts for people and models. */
type Verdict = 'breaking' | 'added' | 'wording';

export interface InterfaceChange {
  readonly verdict: Verdict;
  /** Where it is, such as `tools/add_note/inputSchema/properties/text`. */
  readonly where: string;
  readonly message: Phrase;
  /** Whether a whole tool, prompt or template came or went: the message names it then. */
  readonly isItem?: boolean;
}

export const changeText = ({ where, message, isItem }: InterfaceChange): Phrase =>
  isItem ? message : phrase('{0}: {1}', visible(where, 300), message);

/** The lists of a server, as the catalog has them. */
export interface ServerInterface {
  readonly instructions?: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
}

const KINDS = ['tools', 'prompts', 'resourceTemplates'] as const;
const MAX_CHANGES = 200;
const MAX_DEPTH = 30;

/** What is compared of an item; `_meta`, icons and sizes are left out, because they change with every build. */
const KEPT = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'arguments', 'mimeType', 'name'];

/** What a server offers, without its secrets: the file is meant to be committed. */
export function snapshotOfServer(server: Pick<ServerConnection, 'catalog' | 'info' | 'redact'>): InterfaceSnapshot {
  const { tools, prompts, resourceTemplates } = server.catalog;
  const snapshot = snapshotOf({ tools, prompts, resourceTemplates, instructions: server.info?.instructions });
  return mapTexts(snapshot, text => server.redact(text));
}

export function snapshotOf(offered: ServerInterface): InterfaceSnapshot {
  const { instructions } = offered;
  const byKey = <T extends object>(items: readonly T[], keyOf: (item: T) => string) => {
    const entries = items.map((item): [string, Item] => {
      const key = keyOf(item);
      const kept = Object.entries(item).filter(
        ([name, value]) => KEPT.includes(name) && value !== undefined && value !== key,
      );
      return [key, Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return {
    version: 1,
    ...(instructions && { instructions }),
    tools: byKey(offered.tools, ({ name }) => name),
    prompts: byKey(offered.prompts, ({ name }) => name),
    resourceTemplates: byKey(offered.resourceTemplates, ({ uriTemplate }) => uriTemplate),
  };
}

/** The snapshot that a JSON text has; a phrase that says why it has none. */
export function readSnapshot(text: string): InterfaceSnapshot | Phrase {
  const value = parsedJson(text);
  if (value === undefined) return phrase('it is not JSON');
  if (!isObject(value) || value.version !== 1) return phrase('it is not a snapshot of version 1');
  const isTable = (table: unknown) => isObject(table) && Object.values(table).every(isObject);
  if (!KINDS.every(kind => isTable(value[kind]))) return phrase('it is not a snapshot of version 1');
  return value as unknown as InterfaceSnapshot;
}

/** What has changed, what breaks callers first. */
export function compareSnapshots(before: InterfaceSnapshot, now: InterfaceSnapshot): InterfaceChange[] {
  const changes: InterfaceChange[] = [];
  const report: Report = (verdict, where, message, isItem = false) => {
    if (changes.length < MAX_CHANGES) changes.push({ verdict, where: where.join('/'), message, isItem });
  };
  if (before.instructions !== now.instructions)
    report('wording', ['instructions'], phrase('The instructions have changed.'));
  for (const kind of KINDS) {
    for (const [key, item] of Object.entries(before[kind])) {
      const same = ownMember(now[kind], key);
      if (same) compareItem([kind, key], item, same, report);
      else report('breaking', [kind, key], ITEMS[kind].removed(visible(key, 200)), true);
    }
    for (const key of Object.keys(now[kind]))
      if (!Object.hasOwn(before[kind], key)) report('added', [kind, key], ITEMS[kind].added(visible(key, 200)), true);
  }
  const order: Verdict[] = ['breaking', 'added', 'wording'];
  return changes.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
}

const ITEMS = {
  tools: {
    removed: (name: string) => phrase('Tool removed: {0}.', name),
    added: (name: string) => phrase('Tool added: {0}.', name),
  },
  prompts: {
    removed: (name: string) => phrase('Prompt removed: {0}.', name),
    added: (name: string) => phrase('Prompt added: {0}.', name),
  },
  resourceTemplates: {
    removed: (name: string) => phrase('Resource template removed: {0}.', name),
    added: (name: string) => phrase('Resource template added: {0}.', name),
  },
} as const;

type Report = (verdict: Verdict, where: readonly string[], message: Phrase, isItem?: boolean) => void;

function compareItem(where: readonly string[], before: Item, now: Item, report: Report): void {
  for (const text of ['title', 'description', 'name'])
    if (before[text] !== now[text]) report('wording', [...where, text], phrase('The text has changed.'));
  if (before.mimeType !== now.mimeType) report('breaking', [...where, 'mimeType'], phrase('The type has changed.'));
  compareAnnotations([...where, 'annotations'], before.annotations, now.annotations, report);
  const input: SchemaSide = { side: 'input', report };
  const given = [argumentsOf(before.arguments), argumentsOf(now.arguments)] as const;
  compareMembers([...where, 'arguments'], given, input, (at, was, is) => {
    if (was !== is) report('wording', at, phrase('The text has changed.'));
  });
  compareSchema([...where, 'inputSchema'], before.inputSchema, now.inputSchema, input);
  if (before.outputSchema === undefined && now.outputSchema !== undefined)
    report('added', [...where, 'outputSchema'], phrase('Added.'));
  else if (before.outputSchema !== undefined && now.outputSchema === undefined)
    report('breaking', [...where, 'outputSchema'], phrase('Removed.'));
  else compareSchema([...where, 'outputSchema'], before.outputSchema, now.outputSchema, { side: 'output', report });
}

/** The default of each hint (spec: schema#ToolAnnotations), and the value that promises less. */
const HINTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;

function compareAnnotations(where: readonly string[], before: unknown, now: unknown, report: Report): void {
  const [old, changed] = [isObject(before) ? before : {}, isObject(now) ? now : {}];
  for (const [hint, byDefault] of Object.entries(HINTS)) {
    const [was, is] = [old[hint] ?? byDefault, changed[hint] ?? byDefault];
    if (was === is) continue;
    // Whoever let a tool run unasked did so because of what it promised.
    if (is === byDefault) report('breaking', [...where, hint], phrase('It promises less than before.'));
    else report('added', [...where, hint], phrase('It promises more than before.'));
  }
  if (old.title !== changed.title) report('wording', [...where, 'title'], phrase('The text has changed.'));
}

/** Members by name: arguments of a prompt, or properties of a schema. */
type Members = ReadonlyMap<string, { readonly isRequired: boolean; readonly value: unknown }>;

function compareMembers(
  where: readonly string[],
  [before, now]: readonly [Members, Members],
  { side, report }: SchemaSide,
  compareValues: (at: readonly string[], before: unknown, now: unknown) => void,
): void {
  const isInput = side === 'input';
  for (const name of new Set([...before.keys(), ...now.keys()])) {
    const at = [...where, name];
    const [was, is] = [before.get(name), now.get(name)];
    if (!is) report('breaking', at, phrase('Removed.'));
    else if (!was && isInput && is.isRequired) report('breaking', at, phrase('Added, and required.'));
    else if (!was) report('added', at, phrase('Added.'));
    else {
      if (!was.isRequired && is.isRequired) report(isInput ? 'breaking' : 'added', at, phrase('Now required.'));
      if (was.isRequired && !is.isRequired) report(isInput ? 'added' : 'breaking', at, phrase('No longer required.'));
      compareValues(at, was.value, is.value);
    }
  }
}

const argumentsOf = (list: unknown): Members =>
  new Map(
    (Array.isArray(list) ? list : [])
      .filter(isObject)
      .map(({ name, required, description }) => [String(name), { isRequired: Boolean(required), value: description }]),
  );

function propertiesOf({ properties, required }: Schema): Members {
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  const all = Object.entries(isObject(properties) ? properties : {});
  return new Map(all.map(([name, value]) => [name, { isRequired: names.has(name), value }]));
}

const TEXTS = new Set(['title', 'description', 'examples', '$comment', '$schema', 'default']);
const WALKED = new Set(['properties', 'required', 'items', 'enum', 'type']);

interface SchemaSide {
  readonly side: 'input' | 'output';
  readonly report: Report;
}

/**
 * Compares schemas: of what callers send (`input`), where less may be accepted now, or of what they get (`output`), where more may
 * come now. What else differs in a schema counts as breaking, because hardly anything can be said of it.
 */
function compareSchema(where: readonly string[], before: unknown, now: unknown, sided: SchemaSide): void {
  const { side, report } = sided;
  if (isEqual(before, now)) return;
  if (!isObject(before) || !isObject(now) || where.length > MAX_DEPTH) {
    report('breaking', where, phrase('The schema has changed.'));
    return;
  }
  const isInput = side === 'input';
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (WALKED.has(key) || isEqual(before[key], now[key])) continue;
    if (TEXTS.has(key)) report('wording', [...where, key], phrase('The text has changed.'));
    // A limit that is gone lets more through.
    else if (isInput && now[key] === undefined) report('added', [...where, key], phrase('A limit was removed.'));
    else if (!isInput && before[key] === undefined) report('added', [...where, key], phrase('A limit was added.'));
    else report('breaking', [...where, key], phrase('The schema has changed.'));
  }
  compareSets([...where, 'type'], listOf(before.type), listOf(now.type), sided);
  compareSets([...where, 'enum'], before.enum, now.enum, sided);
  if (before.items !== undefined || now.items !== undefined)
    compareSchema([...where, 'items'], before.items, now.items, sided);
  compareMembers([...where, 'properties'], [propertiesOf(before), propertiesOf(now)], sided, (at, was, is) =>
    compareSchema(at, was, is, sided),
  );
}

const listOf = (type: unknown): unknown => (typeof type === 'string' ? [type] : type);

/** Types or values that are allowed; undefined: all. */
function compareSets(where: readonly string[], before: unknown, now: unknown, { side, report }: SchemaSide): void {
  const isInput = side === 'input';
  if (isEqual(before, now)) return;
  const lacks = (list: unknown, of: unknown): boolean => {
    if (!Array.isArray(list) || !Array.isArray(of)) return Array.isArray(list);
    const has = new Set(list.map(value => canonicalJson(value)));
    return of.some(value => !has.has(canonicalJson(value)));
  };
  const fewer = lacks(now, before);
  const more = lacks(before, now);
  if (fewer) report(isInput ? 'breaking' : 'added', where, phrase('Less is allowed than before.'));
  if (more) report(isInput ? 'added' : 'breaking', where, phrase('More is allowed than before.'));
}

export const MAX_SNAPSHOT = 5 * 1024 * 1024;

/** The changes that a step lets pass. */
const PASSES: Record<'added' | 'wording' | 'nothing', readonly Verdict[]> = {
  added: ['added', 'wording'],
  wording: ['wording'],
  nothing: [],
};

export const snapshotText = (snapshot: InterfaceSnapshot): string => `${indentedJson(snapshot)}\n`;

/** Rejects when there is a link at the path, or it can't be written. */
export const writeSnapshotFile = (path: string, snapshot: InterfaceSnapshot): Promise<void> =>
  replaceFile(path, snapshotText(snapshot));

/** Rejects with an error that says in a phrase why the file is no snapshot. */
export async function readSnapshotFile(path: string): Promise<InterfaceSnapshot> {
  let text: string;
  try {
    text = await readBounded(path, MAX_SNAPSHOT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new PhraseError(phrase('it does not exist'));
    throw error;
  }
  const snapshot = readSnapshot(text);
  if ('text' in snapshot) throw new PhraseError(snapshot);
  return snapshot;
}

/** Compares what a server offers with the snapshot at a path, or writes it. Never rejects for what is there. */
export async function checkSnapshot(
  path: string,
  now: InterfaceSnapshot,
  allow: keyof typeof PASSES = 'added',
  updates = false,
): Promise<StepFailure[]> {
  try {
    if (updates) {
      await writeSnapshotFile(path, now);
      return [];
    }
    return compareSnapshots(await readSnapshotFile(path), now)
      .filter(({ verdict }) => !PASSES[allow].includes(verdict))
      .map(change => ({ message: phrase('The interface differs from its snapshot: {0}', changeText(change)) }));
  } catch (error) {
    const why = (error as Partial<PhraseError>).phrase ?? messageOf(error, 200);
    if (updates) return [{ message: why }];
    const name = visible(basename(path), 100);
    const message = phrase(
      'The snapshot {0} cannot be used: {1}. Run mcptest.js with --update to write it.',
      name,
      why,
    );
    return [{ message }];
  }
}

import { randomBytes } from 'node:crypto';
import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { attempt } from '../../../base/errors';
import { Emitter, getOrInsert, lazy, Owner } from '../../../base/events';
import { canonicalJson, sha256 } from '../../../base/fingerprint';
import { lengthOf } from '../../../base/json';
import { Turns } from '../../../base/turns';
import {
  type CatalogItems,
  type CatalogList,
  coveredBefore,
  once,
  type PinnedResource,
  promptDefinition,
  resourceDefinition,
  toolDefinition,
} from '../../../host/catalog';
import { keptScope, type ServerDefinition, type ServerId } from '../../../host/definition';

/** Of the extension host: striking secrets out of large definitions takes long. */
const TURN_MS = 50;

/** `enforce`: what changed is not used until a person accepts it; `warn`: it is used, and shown; `off`. */
export type PinMode = 'enforce' | 'warn' | 'off';

/**
 * `accepted`: as the person knows it · `new`: added after the server was first offered to a model · `changed`: differs from
 * that time · `unpinned`: the server has not been offered to a model yet.
 */
export type PinState = 'unpinned' | 'accepted' | 'new' | 'changed';

type PinnedKind = 'tool' | 'prompt' | 'instructions' | PinnedResource;

/** An item that differs from the accepted one. */
export interface PinChange {
  readonly kind: PinnedKind;
  /** Name of the tool or prompt, URI of the resource, URI template; empty for instructions. */
  readonly name: string;
  /** Both are redacted, so they may look the same. */
  readonly before: unknown;
  readonly now: object;
  /** Salted hash of the exact current definition; undefined if it is too deep. */
  readonly hash: string | undefined;
}

/** Stores pins in extension storage; for servers of workspace settings in that of the workspace. Never rejects. */
export interface PinStore {
  readonly ofPrograms?: false;
  read(server: ServerDefinition): Promise<unknown>;
  write(server: ServerDefinition, pins: object): Promise<void>;
}

export interface PinnedServer {
  readonly id: ServerId;
  readonly definition: ServerDefinition;
  readonly info: { readonly instructions: string | undefined } | undefined;
  readonly catalog: { list<K extends 'tools' | 'prompts' | 'resources'>(kind: K): CatalogList<CatalogItems[K]> };
  /** Redacts secrets: definitions may contain the server's own secrets, and pins are stored on disk. */
  redact?(text: string): string;
}

/** The most resources pinned for one server. There may be as many as rows in a database. */
const MAX_RESOURCES = 5_000;

/** How much is kept of tools and prompts that a server no longer lists and that nobody accepted: names cost it nothing. */
const MAX_GONE = { pins: 1_000, length: 4_000_000 };

interface Pin {
  readonly kind: PinnedKind;
  readonly name: string;
  /** For display, redacted. */
  readonly definition: object;
  /** Salted hash of the exact definition; undefined for pins that an earlier version stored. */
  readonly hash: string | undefined;
  readonly accepted: boolean;
}

interface Record {
  /** Random, so that hashes do not reveal secrets in a definition. */
  readonly salt: string;
  /** Kinds whose first list was pinned completely: later items are new. */
  readonly known: Set<PinnedKind>;
  readonly pins: Map<string, Pin>;
  /** Resources whose latest definition differs from the pinned one. */
  readonly changed: Map<string, { kind: PinnedResource; name: string; definition: object }>;
}

/**
 * Remembers the definitions of each server's tools, prompts and instructions from when they were first offered to a model, so
 * that later changes (a "rug pull") are noticed. The one owner of pins.
 */
export class Pins extends Owner {
  readonly #changed = this.own(new Emitter<ServerId>());
  /** Fires when the pins of a server have been read or changed. */
  readonly onDidChange = this.#changed.event;
  readonly #records = new Map<string, Record>();
  readonly #loading = new Map<string, Promise<Record>>();
  /** Hashes by definition, with the salt that they were made with. */
  readonly #hashes = new WeakMap<object, { readonly salt: string; readonly hash: string | undefined }>();

  constructor(
    private readonly store: PinStore,
    readonly mode: (server: ServerDefinition) => PinMode,
  ) {
    super();
  }

  /** Reads the stored pins of a server. Until then all its items are `unpinned`. */
  async load(server: PinnedServer): Promise<void> {
    await this.#load(server.definition);
  }

  /** Pins current items that were not seen before. Called whenever they are about to be offered to a model. */
  async offer(server: PinnedServer): Promise<void> {
    const record = await this.#load(server.definition);
    const { known, pins } = record;
    let added = false;
    const turns = new Turns(TURN_MS);
    const listed = new Set<string>();
    for (const kind of ['tool', 'prompt', 'instructions'] as const) {
      const items = itemsOf(server, kind);
      if (!items) continue;
      for (const { name, definition: raw } of items) {
        listed.add(keyOf(kind, name));
        const hash = this.#hash(record, raw);
        const pin = pins.get(keyOf(kind, name));
        const isOld = pin !== undefined && pin.hash === undefined && this.#matches(server, record, pin, raw);
        if (hash === undefined || (pin && !isOld)) continue;
        const definition = withoutSecrets(server, raw);
        pins.set(keyOf(kind, name), { kind, name, definition, hash, accepted: pin?.accepted ?? !known.has(kind) });
        added = true;
        if (turns.isOver) await turns.next();
      }
      added ||= !known.has(kind);
      known.add(kind);
    }
    if (!added) return;
    forgetGone(pins, listed);
    await this.#save(server);
  }

  /**
   * Pins resources or templates that are about to be offered to a model, the first 5,000 of a server.
   * @returns those that may be offered: where changes are enforced, changed ones are left out until a person accepts them.
   */
  async offerResources<T>(server: PinnedServer, kind: PinnedResource, items: readonly T[]): Promise<T[]> {
    const record = await this.#load(server.definition);
    const { pins, changed } = record;
    let left = MAX_RESOURCES - [...pins.values()].filter(pin => isResource(pin.kind)).length;
    let [isAdded, isOther] = [false, false];
    for (const item of items) {
      const { name, definition } = resourceDefinition(kind, item);
      const hash = this.#hash(record, definition);
      const key = keyOf(kind, name);
      const pin = pins.get(key);
      if (pin) {
        const before = changed.get(key)?.definition;
        const isSame = this.#matches(server, record, pin, definition);
        isOther ||= isSame ? before !== undefined : !before || this.#hash(record, before) !== hash;
        if (isSame) changed.delete(key);
        else changed.set(key, { kind, name, definition });
      } else if (hash !== undefined && left-- > 0) {
        pins.set(key, { kind, name, definition: withoutSecrets(server, definition), hash, accepted: true });
        isAdded = true;
      }
    }
    if (isAdded) await this.#save(server);
    else if (isOther) this.#changed.fire(server.id);
    return items.filter(item => !this.blocksResource(server, kind, item));
  }

  /** Whether the resource or template must not be offered before a person has accepted its change. */
  blocksResource(server: PinnedServer, kind: PinnedResource, item: unknown): boolean {
    if (this.mode(server.definition) !== 'enforce') return false;
    const { name, definition } = resourceDefinition(kind, item);
    const record = this.#records.get(recordKey(server.definition));
    // Too deep to be compared, so no change would be noticed.
    if (record && this.#hash(record, definition) === undefined) return true;
    return this.#state(server, kind, name, definition) === 'changed';
  }

  /** Whether pins block the resource with this URI, if it is known. */
  blocksUri(server: PinnedServer, uri: string): boolean {
    if (this.mode(server.definition) !== 'enforce') return false;
    const record = this.#records.get(recordKey(server.definition));
    if (!record?.pins.has(keyOf('resource', uri))) return false;
    if (record.changed.has(keyOf('resource', uri))) return true;
    const listed = server.catalog.list('resources').items.find(resource => resource.uri === uri);
    return listed !== undefined && this.blocksResource(server, 'resource', listed);
  }

  toolState(server: PinnedServer, tool: Tool): PinState {
    return this.#state(server, 'tool', tool.name, toolDefinition(tool));
  }

  promptState(server: PinnedServer, prompt: Prompt): PinState {
    return this.#state(server, 'prompt', prompt.name, promptDefinition(prompt));
  }

  /** The instructions that a model may be given. */
  instructions(server: PinnedServer): string | undefined {
    const instructions = server.info?.instructions;
    const changed = this.#state(server, 'instructions', '', { instructions: instructions ?? '' }) === 'changed';
    return changed && this.mode(server.definition) === 'enforce' ? undefined : instructions;
  }

  /** Whether the tool must not be called or offered before a person has accepted its change. */
  blocks(server: PinnedServer, tool: Tool): boolean {
    return this.mode(server.definition) === 'enforce' && this.toolState(server, tool) === 'changed';
  }

  blocksPrompt(server: PinnedServer, prompt: Prompt): boolean {
    return this.mode(server.definition) === 'enforce' && this.promptState(server, prompt) === 'changed';
  }

  /** The items of a server that differ from the accepted ones. Removed items do not count. */
  changes(server: PinnedServer): PinChange[] {
    const record = this.#records.get(recordKey(server.definition));
    if (!record || this.mode(server.definition) === 'off') return [];
    const change = (kind: PinnedKind, name: string, definition: object): PinChange[] => {
      const pin = record.pins.get(keyOf(kind, name));
      if (!pin || this.#matches(server, record, pin, definition)) return [];
      const hash = this.#hash(record, definition);
      // Made for who looks at it: most only count.
      const now = lazy(() => withoutSecrets(server, definition));
      return [
        {
          kind,
          name,
          before: pin.definition,
          get now() {
            return now();
          },
          hash,
        },
      ];
    };
    const listed = (['instructions', 'tool', 'prompt'] as const).flatMap(kind =>
      (itemsOf(server, kind) ?? []).flatMap(({ name, definition }) => change(kind, name, definition)),
    );
    const given = [...record.changed.values()].flatMap(({ kind, name, definition }) => change(kind, name, definition));
    return [...listed, ...given];
  }

  /** Accepts a change as it was shown. If the server has changed the item again since, that change is not accepted. */
  async accept(server: PinnedServer, { kind, name, now, hash }: Omit<PinChange, 'before'>): Promise<void> {
    if (hash === undefined) return;
    const record = await this.#load(server.definition);
    const { pins, changed } = record;
    pins.set(keyOf(kind, name), { kind, name, definition: now, hash, accepted: true });
    const given = changed.get(keyOf(kind, name));
    if (given && this.#hash(record, given.definition) === hash) changed.delete(keyOf(kind, name));
    await this.#save(server);
  }

  /** Records that a person approved a call of the tool, so that it is no longer new. */
  async approve(server: PinnedServer, tool: Tool): Promise<void> {
    if (this.toolState(server, tool) === 'new') await this.#accept(server, 'tool', tool.name, toolDefinition(tool));
  }

  /** Records that a person ran the prompt, so that it is no longer new. */
  async approvePrompt(server: PinnedServer, prompt: Prompt): Promise<void> {
    if (this.promptState(server, prompt) !== 'new') return;
    await this.#accept(server, 'prompt', prompt.name, promptDefinition(prompt));
  }

  /** The person gave a server another name: what they accepted of it holds there, too. */
  async copy(from: ServerDefinition, to: ServerDefinition): Promise<void> {
    this.#records.set(recordKey(to), await this.#load(from));
    await this.#save({ id: to.id, definition: to });
  }

  async #accept(server: PinnedServer, kind: PinnedKind, name: string, definition: object): Promise<void> {
    const hash = this.#hash(await this.#load(server.definition), definition);
    await this.accept(server, { kind, name, now: withoutSecrets(server, definition), hash });
  }

  #state(server: PinnedServer, kind: PinnedKind, name: string, definition: object): PinState {
    const record = this.#records.get(recordKey(server.definition));
    const pin = record?.pins.get(keyOf(kind, name));
    if (!record || !pin || this.mode(server.definition) === 'off') return 'unpinned';
    if (!this.#matches(server, record, pin, definition)) return 'changed';
    return pin.accepted ? 'accepted' : 'new';
  }

  /** Compares exact definitions. After redaction, a server could hide any change by making it look like a secret. */
  #matches(server: PinnedServer, record: Record, pin: Pin, definition: object): boolean {
    if (pin.hash !== undefined) return pin.hash === this.#hash(record, definition);
    // For pins of a version without such a hash, which covered less. The next offer pins them again.
    return textOf(pin.definition) === textOf(withoutSecrets(server, coveredBefore(definition)));
  }

  async #load(definition: ServerDefinition): Promise<Record> {
    const key = recordKey(definition);
    const loaded = this.#records.get(key);
    if (loaded) return loaded;
    const loading = getOrInsert(this.#loading, key, () =>
      this.store.read(definition).then(value => parseRecord(value)),
    );
    const record = await loading;
    if (!this.#records.has(key)) {
      this.#records.set(key, record);
      this.#changed.fire(definition.id);
    }
    return record;
  }

  async #save(server: Pick<PinnedServer, 'id' | 'definition'>): Promise<void> {
    const { salt, known, pins } = await this.#load(server.definition);
    this.#changed.fire(server.id);
    await this.store.write(server.definition, { salt, known: [...known], pins: [...pins.values()] });
  }

  /** Undefined for a definition too deep to be compared. The catalog leaves out such tools. */
  #hash({ salt }: Record, definition: object): string | undefined {
    const made = this.#hashes.get(definition);
    if (made?.salt === salt) return made.hash;
    const text = textOf(definition);
    const hash = text === undefined ? undefined : sha256(`${salt}\n${text}`);
    this.#hashes.set(definition, { salt, hash });
    return hash;
  }
}

/** Removes the oldest beyond the limit. A tool or prompt of that name is new when the server lists it again. */
function forgetGone(pins: Map<string, Pin>, listed: ReadonlySet<string>): void {
  const gone = [...pins].filter(([key, pin]) => !pin.accepted && !listed.has(key));
  let length = 0;
  for (const [index, [key, { definition }]] of gone.reverse().entries()) {
    if (length <= MAX_GONE.length) length += lengthOf(definition);
    if (index >= MAX_GONE.pins || length > MAX_GONE.length) pins.delete(key);
  }
}

type ListedKind = Exclude<PinnedKind, PinnedResource>;

/** The current items of the server; undefined while unknown. */
function itemsOf(server: PinnedServer, kind: ListedKind): { name: string; definition: object }[] | undefined {
  if (kind === 'instructions') {
    const { info } = server;
    return info && [{ name: '', definition: once(info, () => ({ instructions: info.instructions ?? '' })) }];
  }
  if (kind === 'tool') {
    const { status, items } = server.catalog.list('tools');
    return status === 'ready' ? items.map(item => ({ name: item.name, definition: toolDefinition(item) })) : undefined;
  }
  const { status, items } = server.catalog.list('prompts');
  return status === 'ready' ? items.map(item => ({ name: item.name, definition: promptDefinition(item) })) : undefined;
}

const keyOf = (kind: PinnedKind, name: string) => `${kind}\n${name}`;
const recordKey = ({ id, source }: ServerDefinition) => `${keptScope(source)}\n${id}`;

/** Parses a stored record. Invalid data counts as empty. */
function parseRecord(value: unknown): Record {
  const { salt, known, pins } = (value ?? {}) as { salt?: unknown; known?: unknown; pins?: unknown };
  const isSalted = typeof salt === 'string' && /^[\da-f]{32}$/.test(salt);
  const record: Record = {
    salt: isSalted ? salt : randomBytes(16).toString('hex'),
    known: new Set(),
    pins: new Map(),
    changed: new Map(),
  };
  if (!Array.isArray(known) || !Array.isArray(pins)) return record;
  for (const kind of known) if (isKind(kind)) record.known.add(kind);
  for (const pin of pins) {
    const { kind, name, definition, hash, accepted } = (pin ?? {}) as Partial<Pin>;
    if (!isKind(kind) || typeof name !== 'string' || typeof definition !== 'object' || definition === null) continue;
    const kept = isSalted && typeof hash === 'string' && /^[\da-f]{64}$/.test(hash) ? hash : undefined;
    record.pins.set(keyOf(kind, name), { kind, name, definition, hash: kept, accepted: accepted === true });
  }
  return record;
}

/** A redacted definition for display. If redaction breaks its JSON, the result is its text. */
function withoutSecrets(server: PinnedServer, definition: object): object {
  let without = '';
  try {
    const text = JSON.stringify(definition);
    without = server.redact?.(text) ?? text;
    return without === text ? definition : (JSON.parse(without) as object);
  } catch {
    return { text: without };
  }
}

const textOf = (definition: object): string | undefined => attempt(() => canonicalJson(definition));

const KINDS: readonly unknown[] = [
  'tool',
  'prompt',
  'instructions',
  'resource',
  'resourceTemplate',
] satisfies PinnedKind[];

const isKind = (value: unknown): value is PinnedKind => KINDS.includes(value);
const isResource = (kind: PinnedKind): kind is PinnedResource => kind === 'resource' || kind === 'resourceTemplate';

import { isObject } from '../../base/json';
import { type KeptScope, keptScope, type ServerDefinition } from './definition';
import type { ScopedStore } from './ports';

/** What a person said of a program: what they allowed, with the launch that it was allowed to, or that it may not. */
export type Permission = KeptFor<object> | 'ask' | 'deny';

declare const bound: unique symbol;
/** Permissions as they are stored. Only `programRecords` makes them. */
export type ProgramRecords = Readonly<Record<string, never>> & { readonly [bound]: true };
/** A store of what a person allowed programs. It takes nothing that is not bound to a launch. */
export interface ProgramStore extends Pick<ScopedStore, 'get'> {
  readonly ofPrograms?: true;
  set(scope: KeptScope, records: ProgramRecords): Promise<void>;
}

/** @param storedAs the stored form of one that was allowed, from which `KeptFor` can be made again; its launch may be in the key. */
export const programRecords = <T extends object>(
  records: Readonly<Record<string, KeptFor<T> | 'ask' | 'deny'>>,
  storedAs: (kept: KeptFor<T>) => unknown = kept => kept.stored,
): ProgramRecords =>
  Object.fromEntries(
    Object.entries(records).map(([key, kept]) => [key, kept instanceof KeptFor ? storedAs(kept) : kept]),
  ) as ProgramRecords;

/** Values that are kept in one store by a key, in the order in which they were set. What was allowed is kept as `KeptFor`. */
export class KeptRecords<T> {
  /**
   * @param parse reads a value as some version of this extension has stored it; what it returns undefined for counts as absent.
   * @param most of one scope: those that were set first are forgotten.
   */
  constructor(
    private readonly store: [T] extends [Permission] ? ProgramStore : ScopedStore,
    private readonly parse: (stored: unknown) => T | undefined,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  get(scope: KeptScope, key: string): T | undefined {
    const stored = this.#stored(scope);
    return Object.hasOwn(stored, key) ? this.parse(stored[key]) : undefined;
  }

  /** Rejects when it is not kept. @param value undefined forgets. */
  async set(scope: KeptScope, key: string, value: T | undefined): Promise<void> {
    const others = Object.entries(this.#stored(scope)).filter(([other]) => other !== key);
    const stored = value instanceof KeptFor ? value.stored : value;
    const kept = value === undefined ? others : [...others.slice(1 - this.most), [key, stored] as const];
    await this.store.set(scope, Object.fromEntries(kept) as ProgramRecords);
  }

  #stored(scope: KeptScope): Readonly<Record<string, unknown>> {
    const stored = this.store.get(scope);
    return isObject(stored) ? stored : {};
  }
}

/**
 * Notes which program stands behind a server before a person is asked about it: its entry may change while the question is open.
 * @returns whether it is still that one; else the answer allows nothing.
 */
export function noteProgram(server: {
  readonly definition: Pick<ServerDefinition, 'launch' | 'source'>;
}): () => boolean {
  const { launch, source } = server.definition;
  return () => server.definition.launch === launch && keptScope(server.definition.source) === keptScope(source);
}

/** What a person allowed a program, bound to its launch: another program under its id has none of it. */
export class KeptFor<T extends object> {
  readonly #launch: string;
  readonly #value: T;

  constructor({ launch }: Pick<ServerDefinition, 'launch'>, value: T) {
    this.#launch = launch;
    this.#value = value;
  }

  /** Reads what `stored` has made. @param parse reads the value; undefined counts as nothing kept. */
  static parse<T extends object>(stored: unknown, parse: (value: unknown) => T | undefined): KeptFor<T> | undefined {
    const value = isObject(stored) && typeof stored.launch === 'string' ? parse(stored) : undefined;
    return value && new KeptFor({ launch: (stored as { launch: string }).launch }, value);
  }

  /** What the person allowed this program. Undefined if they allowed it to another one. */
  for({ launch }: Pick<ServerDefinition, 'launch'>): T | undefined {
    return launch === this.#launch ? this.#value : undefined;
  }

  /** The record for the store, with the launch that it is for. */
  get stored(): T & { readonly launch: string } {
    return { ...this.#value, launch: this.#launch };
  }
}

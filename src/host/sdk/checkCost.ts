import { getOrInsert } from '../../base/events';
import { isObject } from '../../base/json';
import { partAt } from '../../base/localSchema';
import { PhraseError, phrase } from '../../base/phrase';
import { DATA } from '../../base/schemaKeywords';

/** What a check may take: schemas that look at values, and what they look at. About a second. */
const MAX_STEPS = 2_000_000;
/** Characters of a text that take as long as a step. */
const CHARACTERS = 100;
/** Comparisons of two items that take as long as a step. */
const COMPARISONS = 10;

/** Keywords whose schemas look at the value itself; those with names for them. */
const OF_THE_SAME = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);
const NAMED_ONES = new Set(['dependentSchemas', 'dependencies']);
const LISTS_NAMES = new Set(['required', 'dependentRequired']);

type Schema = Readonly<Record<string, unknown>>;

/**
 * Asserts that checking a value against a schema takes bounded time, by walking both as a validator does that meets no mistake: both
 * come from servers, and a few lines can stand for billions of steps.
 * @param root a schema whose references are pointers into it. @throws PhraseError
 */
export function assertAffordable(root: Schema, value: unknown): void {
  new Walk(root).visit(root, value);
}

class Walk {
  #left = MAX_STEPS;
  readonly #lengths = new WeakMap<object, number>();
  readonly #parts = new Map<string, unknown>();

  constructor(private readonly root: Schema) {}

  visit(schema: unknown, value: unknown): void {
    this.#spend(1);
    if (!isObject(schema)) return;
    this.#spend(sizeOf(value) + Object.keys(schema).length / COMPARISONS);
    for (const [keyword, below] of Object.entries(schema)) this.#keyword(keyword, below, value);
  }

  #keyword(keyword: string, below: unknown, value: unknown): void {
    if (keyword === '$ref' && typeof below === 'string') this.visit(this.#partAt(below), value);
    else if (OF_THE_SAME.has(keyword)) for (const schema of schemasIn(keyword, below)) this.visit(schema, value);
    else if (DATA.has(keyword) || LISTS_NAMES.has(keyword)) this.#spend(this.#lengthOf(below) / CHARACTERS);
    else if (Array.isArray(value)) this.#ofItems(keyword, below, value);
    else if (isObject(value)) this.#ofMembers(keyword, below, value);
  }

  #ofItems(keyword: string, below: unknown, value: readonly unknown[]): void {
    if (keyword === 'uniqueItems' && below === true) this.#spend(value.length ** 2 / COMPARISONS);
    if (Array.isArray(below) && (keyword === 'prefixItems' || keyword === 'items')) {
      for (const [index, schema] of below.entries()) if (index < value.length) this.visit(schema, value[index]);
    } else if (['items', 'additionalItems', 'unevaluatedItems', 'contains'].includes(keyword)) {
      for (const item of value) this.visit(below, item);
    }
  }

  #ofMembers(keyword: string, below: unknown, value: Schema): void {
    if (keyword === 'properties' && isObject(below)) {
      this.#spend(Object.keys(below).length);
      for (const [name, schema] of Object.entries(below))
        if (Object.hasOwn(value, name)) this.visit(schema, value[name]);
    } else if (keyword === 'propertyNames') {
      for (const name of Object.keys(value)) this.visit(below, name);
    } else if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
      for (const member of Object.values(value)) this.visit(below, member);
    }
  }

  #partAt(pointer: string): unknown {
    if (!this.#parts.has(pointer)) this.#parts.set(pointer, partAt(this.root, pointer));
    return this.#parts.get(pointer);
  }

  /** Of data in the schema, as JSON. */
  #lengthOf(data: unknown): number {
    if (typeof data !== 'object' || data === null) return String(data).length;
    return getOrInsert(this.#lengths, data, () => JSON.stringify(data).length);
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new PhraseError(phrase('it would take too long'));
  }
}

function schemasIn(keyword: string, below: unknown): readonly unknown[] {
  if (Array.isArray(below)) return below;
  return NAMED_ONES.has(keyword) && isObject(below) ? Object.values(below) : [below];
}

/** What is looked at of a value itself. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

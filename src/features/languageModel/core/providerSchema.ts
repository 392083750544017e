import { isObject, stringsOf } from '../../../base/json';
import { localSchema } from '../../../base/localSchema';
import { revealedData } from '../../../base/modelData';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { visible, visibleLines } from '../../../base/text';
import {
  alternativesOf,
  bounds,
  counts,
  entriesOf,
  isOfType,
  isSimple,
  keywordsInWords,
  limits,
  merge,
  namesInWords,
  resolvePointer,
  type SchemaNode,
  type SchemaType,
  setsInWords,
  typesOf,
} from './schemaNode';

/** A schema as models get it. */
interface ConvertedSchema {
  readonly schema: SchemaNode;
  /** The names of arguments that providers refuse, by the names that stand for them in `schema`. */
  readonly renamed: ReadonlyMap<string, string>;
}

const MAX_SIZE = 32 * 1024;
const MAX_DEPTH = 10;
/** The deepest nesting of `$ref` and `allOf`. */
const MAX_NESTING = 50;
/** Nodes visited: a few references to each other can stand for billions. */
const MAX_STEPS = 5000;
/** Properties that are copied in the time of a step: those of what is joined are, for each part. */
const PER_STEP = 20;
/** Characters of keywords in words that are made in the time of a step. */
const WORDS_PER_STEP = 100;
/** One provider refuses the whole request for any other name. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
/** The share of a description that keywords in words may take. */
const WORDS_SHARE = 0.5;

/** Tried one after the other until the schema is small enough. */
const DETAILS = [
  { descriptionLength: 1024, defaults: true, depth: MAX_DEPTH },
  { descriptionLength: 200, defaults: false, depth: MAX_DEPTH },
  { descriptionLength: 0, defaults: false, depth: MAX_DEPTH },
  { descriptionLength: 100, defaults: false, depth: 2 },
  { descriptionLength: 0, defaults: false, depth: 1 },
];
type Detail = (typeof DETAILS)[number];
/** How often other names are looked for when one stands for two arguments. */
const MAX_RENAMING = 3;

/** The types that a value has about which nothing is known. An array is last, so that it tells these from all others. */
const ANYTHING = ['string', 'number', 'boolean', 'object'].map(type => ({ type }));
const withArrays = (items: readonly SchemaNode[]): readonly SchemaNode[] => [
  ...ANYTHING,
  { type: 'array', items: { anyOf: items } },
];
const ANY = withArrays(withArrays(ANYTHING));

/**
 * Makes the input schema of a tool acceptable to the editor and to model providers, of whom one refuses what another takes (the
 * README has the table). It allows at least what the server's own schema allows, which arguments are still checked against;
 * keywords without an equivalent are put into descriptions.
 * @returns the reason if there is no such schema, as it completes "left out: ".
 */
export function providerSchema(inputSchema: unknown): ConvertedSchema | { readonly problem: Phrase } {
  if (!isObject(inputSchema)) return { problem: phrase('its input schema is not an object') };
  const { schema: source } = localSchema(inputSchema);
  let problem = phrase('its input schema is larger than {0} KB', MAX_SIZE / 1024);
  let tooDeep = Number.POSITIVE_INFINITY;
  for (const detail of DETAILS) {
    // A schema with too many parts may have few near its root.
    if (detail.depth >= tooDeep) continue;
    try {
      const { schema, renamed } = converted(source, detail);
      if (JSON.stringify(schema).length <= MAX_SIZE) return { schema, renamed };
    } catch (error) {
      if (!(error instanceof Unacceptable)) throw error;
      problem = error.phrase;
      if (!(error instanceof TooManyParts)) break;
      tooDeep = detail.depth;
    }
  }
  return { problem };
}

/** The server's arguments for those of a converted schema. @param coerced whether the editor made texts of numbers. */
export function originalArguments(
  { schema, renamed }: ConvertedSchema,
  args: Record<string, unknown>,
  coerced = false,
): Record<string, unknown> {
  const restore = (value: unknown, nodes: readonly SchemaNode[]): unknown => {
    const all = nodes.flatMap(branchesOf);
    if (typeof value === 'string') return coerced && all.some(isOfAny) ? uncoerced(value) : value;
    if (Array.isArray(value)) {
      const items = all.map(({ items }) => items).filter(isObject);
      return items.length === 0 ? value : value.map(item => restore(item, items));
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const known = all.flatMap(({ properties }) =>
          isObject(properties) && Object.hasOwn(properties, key) && isObject(properties[key]) ? [properties[key]] : [],
        );
        if (known.length === 0) return [key, member];
        return [renamed.get(key) ?? key, restore(member, known)];
      }),
    );
  };
  return restore(args, [schema]) as Record<string, unknown>;
}

/** Whether a node of ours takes any value. */
export const isAny = ({ anyOf }: SchemaNode): boolean => Array.isArray(anyOf) && isOfAny(anyOf.at(-1));

class Unacceptable extends PhraseError {}
class TooManyParts extends Unacceptable {}

function converted(source: SchemaNode, detail: Detail): ConvertedSchema {
  const taken = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const conversion = new Conversion(source, detail, taken);
    const schema = revealedData(conversion.root());
    const { renamed, kept } = conversion;
    const ambiguous = [...renamed.keys()].filter(name => kept.has(name));
    if (ambiguous.length === 0) return { schema, renamed };
    if (attempt === MAX_RENAMING) {
      throw new Unacceptable(
        phrase('its argument "{0}" has a name that model providers reject', visible(renamed.get(ambiguous[0]!)!, 80)),
      );
    }
    for (const name of kept) taken.add(name);
  }
}

/** A node without `$ref` and `allOf`. */
interface Flat {
  node: SchemaNode;
  /** References followed to get here: one that comes again is a loop. */
  refs: readonly string[];
}

/** What a value may be: one of these, each with a type and without alternatives of its own. */
type Branches = readonly SchemaNode[];

class Conversion {
  /** Names that providers refuse, by those that stand for them. */
  readonly renamed = new Map<string, string>();
  /** Names of arguments that stayed as they are. */
  readonly kept = new Set<string>();
  readonly #names = new Map<string, string>();
  /** How many arguments have got one readable name. */
  readonly #counts = new Map<string, number>();
  #steps = 0;
  #nesting = 0;

  constructor(
    private readonly source: SchemaNode,
    private readonly detail: Detail,
    /** Names that may not stand for another. */
    private readonly taken: ReadonlySet<string>,
  ) {}

  root(): SchemaNode {
    const { node, refs } = this.#union(this.#flatten(this.source, []));
    const types = typesOf(node);
    if (types.length > 0 && !types.includes('object')) {
      throw new Unacceptable(phrase('its input schema is of type {0}, not object', types.join(', ')));
    }
    const [root = {}] = this.#described(node, [{ type: 'object', properties: {}, ...this.#members(node, refs, 0) }]);
    return root;
  }

  /** @returns undefined for a node that allows nothing. */
  #convert(raw: unknown, refs: readonly string[], depth: number): SchemaNode | undefined {
    const branches = this.#branches(raw, refs, depth);
    // Beside alternatives, one provider takes no other keyword, and the editor's conversion for it only looks at the first.
    return branches.length > 1 ? { anyOf: branches } : branches[0];
  }

  #branches(raw: unknown, refs: readonly string[], depth: number): Branches {
    if (raw === false) return [];
    if (!isObject(raw)) {
      this.#step();
      return ANY;
    }
    let flat = this.#flatten(raw, refs);
    if (isObject(flat.node.properties)) flat = this.#union(flat);
    const { node } = flat;
    const alternatives = isObject(node.properties) ? [] : alternativesOf(node);
    const converted =
      alternatives.length > 0
        ? this.#anyOf(node, alternatives, flat.refs, depth)
        : typesOf(node).map(type => this.#typed(node, type, flat.refs, depth));
    return this.#described(node, converted);
  }

  #anyOf(
    { type, items, prefixItems }: SchemaNode,
    alternatives: readonly unknown[],
    refs: readonly string[],
    depth: number,
  ): Branches {
    if (depth >= this.detail.depth) return [];
    const shared = Object.entries({ type, items, prefixItems }).filter(([, value]) => value !== undefined);
    const all = alternatives.flatMap(raw =>
      this.#branches(isObject(raw) ? { ...Object.fromEntries(shared), ...raw } : raw, refs, depth + 1),
    );
    if (all.some(isOfAny)) return ANY;
    const distinct = new Map(all.map(branch => [JSON.stringify(branch), branch]));
    return [...distinct.values()].sort((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
  }

  #typed(node: SchemaNode, type: SchemaType, refs: readonly string[], depth: number): SchemaNode {
    switch (type) {
      case 'object':
        return { type, ...this.#members(node, refs, depth) };
      case 'array':
        return { type, items: this.#items(node, refs, depth), ...counts(node, 'minItems', 'maxItems') };
      case 'string':
        return { type, ...limits(node), ...counts(node, 'minLength', 'maxLength') };
      case 'number':
      case 'integer':
        return { type, ...bounds(node, type) };
      case 'boolean':
      case 'null':
        return { type };
    }
  }

  #members(node: SchemaNode, refs: readonly string[], depth: number): SchemaNode {
    const properties: Record<string, unknown> = {};
    for (const [key, value] of depth < this.detail.depth ? entriesOf(node.properties) : []) {
      const property = this.#convert(value, refs, depth + 1);
      if (!property) continue;
      const name = this.#name(key);
      properties[name] = name === key ? property : named(key, property);
    }
    if (Object.keys(properties).length === 0) return {};
    const required = [...new Set(stringsOf(node.required))]
      .map(key => this.#names.get(key) ?? key)
      .filter(key => Object.hasOwn(properties, key));
    return required.length > 0 ? { properties, required } : { properties };
  }

  /** The name of an argument for a model: its own, or one that providers accept. The same each time. */
  #name(key: string): string {
    if (PROPERTY_NAME.test(key)) {
      this.kept.add(key);
      return key;
    }
    let name = this.#names.get(key);
    if (name === undefined) {
      const readable =
        key
          .slice(0, 200)
          .replace(/[^a-zA-Z0-9]+/g, '_')
          .slice(0, 56)
          .replace(/^_+|(?<!_)_+$/g, '') || 'argument';
      name = readable;
      let count = this.#counts.get(readable) ?? 1;
      while (this.taken.has(name) || this.renamed.has(name)) name = `${readable}_${++count}`;
      this.#counts.set(readable, count);
      this.#names.set(key, name);
      this.renamed.set(name, key);
    }
    return name;
  }

  #items({ items, prefixItems, additionalItems }: SchemaNode, refs: readonly string[], depth: number): SchemaNode {
    const [first, rest] = Array.isArray(prefixItems) ? [prefixItems, items] : [items, additionalItems];
    const anyOf = Array.isArray(first) ? [...first, ...(isObject(rest) ? [rest] : [])] : [first];
    const branches = depth < this.detail.depth ? this.#anyOf({}, anyOf, refs, depth) : [];
    const all = branches.length > 0 ? branches : ANY;
    return all.length > 1 ? { anyOf: all } : all[0]!;
  }

  /** Adds the annotations of a node to what it may be, and what else it demands in words. */
  #described(node: SchemaNode, converted: Branches): Branches {
    const { descriptionLength: length, defaults } = this.detail;
    const [first = {}, ...rest] = converted.length > 0 ? converted : ANY;
    const words = visibleLines(keywordsInWords(node, this.source, length * WORDS_SHARE), length * WORDS_SHARE);
    this.#step(words.length / WORDS_PER_STEP);
    const own = [node.description, node.title].find(text => typeof text === 'string' && text !== '');
    const said = [own, first.description].filter(text => typeof text === 'string').join('\n');
    const about = visibleLines(said, length - words.length - '…\n'.length);
    // Characters that are made visible are longer than they were.
    const whole = [about, words].filter(Boolean).join('\n');
    const description = whole.slice(0, length).toWellFormed();
    const all = [{ ...first, ...(description && { description }) }, ...rest];
    const fit = defaults ? all.findIndex(branch => fits(node.default, branch)) : -1;
    return all.map((branch, index) => (index === fit ? { ...branch, default: node.default } : branch));
  }

  #step(cost = 1): void {
    this.#steps += cost;
    if (this.#steps > MAX_STEPS) throw new TooManyParts(phrase('its input schema has too many parts'));
  }

  /** Puts what a node refers to, and what it is all of, into the node itself. */
  #flatten(raw: SchemaNode, refs: readonly string[]): Flat {
    this.#step();
    const { $ref, allOf, ...own } = raw;
    if (typeof $ref !== 'string' && !Array.isArray(allOf)) return { node: raw, refs };
    const parts: SchemaNode[] = [];
    let path = refs;
    if (typeof $ref === 'string') {
      const target = resolvePointer(this.source, $ref);
      // A loop ends in a value of the same type, which is like one that contains it.
      if (target && refs.includes($ref)) parts.push({ type: typesOf(target), ...namesInWords(target) });
      else if (target) {
        parts.push(target);
        path = [...refs, $ref];
      }
    }
    if (Array.isArray(allOf)) for (const part of allOf) if (isObject(part)) parts.push(part);
    let node: SchemaNode = {};
    for (const part of path.length + this.#nesting > MAX_NESTING ? [] : parts) {
      this.#nesting++;
      const flat = this.#flatten(part, path);
      this.#nesting--;
      node = merge(node, flat.node);
      this.#step(entriesOf(node.properties).length / PER_STEP);
      path = flat.refs;
    }
    return { node: merge(node, own), refs: path };
  }

  /** An object that is one of several: their properties together, as no provider takes alternatives at the root. */
  #union({ node, refs }: Flat): Flat {
    const { anyOf: _anyOf, oneOf: _oneOf, ...own } = node;
    const flats = alternativesOf(node)
      .filter(isObject)
      .map(branch => this.#flatten(branch, refs));
    if (flats.length === 0) return { node, refs };
    const properties = new Map<string, unknown[]>();
    for (const [key, value] of flats.flatMap(flat => entriesOf(flat.node.properties))) {
      const values = properties.get(key) ?? [];
      properties.set(key, [...values, value]);
    }
    for (const [key, value] of entriesOf(own.properties)) properties.set(key, [value]);
    const sets = flats.map(flat => stringsOf(flat.node.required));
    const shared = sets[0]!.filter(key => sets.every(required => required.includes(key)));
    return {
      node: {
        ...own,
        ...(properties.size > 0 && {
          properties: Object.fromEntries(
            [...properties].map(([key, all]) => [key, all.length === 1 ? all[0] : { anyOf: all }]),
          ),
        }),
        required: [...stringsOf(own.required), ...shared],
        description: [own.description ?? own.title, setsInWords(sets)].filter(Boolean).join('\n'),
      },
      refs: [...new Set([...refs, ...flats.flatMap(flat => flat.refs)])],
    };
  }
}

/** Other descriptions may speak of an argument by its own name. */
function named(key: string, property: SchemaNode): SchemaNode {
  if (Array.isArray(property.anyOf)) {
    const [first, ...rest] = property.anyOf as Branches;
    return { anyOf: [named(key, first!), ...rest] };
  }
  const { description } = property;
  const own = `Named "${visible(key, 80)}".`;
  return { ...property, description: typeof description === 'string' ? `${own} ${description}` : own };
}

/** A node of ours, or what it may be. */
const branchesOf = (node: SchemaNode): Branches => (Array.isArray(node.anyOf) ? node.anyOf.filter(isObject) : [node]);

const isOfAny = (branch: unknown): boolean => branch === ANY.at(-1);

/** The number or boolean that a short text may have been. */
function uncoerced(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && text.length < 30 && String(Number(text)) === text && Number.isFinite(Number(text))
    ? Number(text)
    : text;
}

function fits(value: unknown, { type, enum: values }: SchemaNode): boolean {
  if (!isSimple(value) || value === null || !isOfType(value, type as SchemaType)) return false;
  return !Array.isArray(values) || values.includes(value);
}

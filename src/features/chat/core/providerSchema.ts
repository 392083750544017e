import { revealedData } from '../../../base/modelData';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { visible, visibleLines } from '../../../base/text';
import {
  entriesOf,
  isNode,
  isOfType,
  isSimple,
  merge,
  resolvePointer,
  type SchemaNode,
  type SchemaType,
  stringsOf,
  typesOf,
  valuesOf,
} from './schemaNode';

/** A schema that model providers accept, or the reason why there is none, as it completes "left out: ". */
type ProviderSchema =
  | {
      readonly schema: SchemaNode;
      /** The names of arguments that providers refuse, by the names that stand for them in `schema`. */
      readonly renamed: ReadonlyMap<string, string>;
    }
  | { readonly problem: Phrase };

const MAX_SIZE = 32 * 1024;
const MAX_DEPTH = 10;
const MAX_ALTERNATIVES = 50;
/** The deepest nesting of `$ref` and `allOf`. */
const MAX_NESTING = 50;
/** Nodes visited: a few references to each other can stand for billions. */
const MAX_STEPS = 5000;
/** One provider refuses the whole request for any other name. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Tried one after the other until the schema is small enough. */
const DETAILS = [
  { descriptionLength: 2000, defaults: true, depth: MAX_DEPTH },
  { descriptionLength: 200, defaults: false, depth: MAX_DEPTH },
  { descriptionLength: 0, defaults: false, depth: MAX_DEPTH },
  { descriptionLength: 100, defaults: false, depth: 2 },
  { descriptionLength: 0, defaults: false, depth: 1 },
];
type Detail = (typeof DETAILS)[number];
/** How often other names are looked for when one stands for two arguments. */
const MAX_RENAMING = 3;

/**
 * Makes the input schema of a tool acceptable to model providers, of whom one refuses what another takes: an object at
 * the root, local references put in place, only common keywords, bounded in depth and size. It allows at least what the
 * server's own schema allows, which arguments are still checked against.
 */
export function providerSchema(inputSchema: unknown): ProviderSchema {
  if (!isNode(inputSchema)) return { problem: phrase('its input schema is not an object') };
  let problem = phrase('its input schema is larger than {0} KB', MAX_SIZE / 1024);
  let tooDeep = Number.POSITIVE_INFINITY;
  for (const detail of DETAILS) {
    // A schema with too many parts may have few near its root.
    if (detail.depth >= tooDeep) continue;
    try {
      const { schema, renamed } = converted(inputSchema, detail);
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

/** Arguments as the server names them, of those that a model gave for a `schema` of ours. */
export function originalArguments(
  schema: SchemaNode,
  renamed: ReadonlyMap<string, string>,
  args: Record<string, unknown>,
): Record<string, unknown> {
  if (renamed.size === 0) return args;
  const restore = (value: unknown, nodes: readonly SchemaNode[]): unknown => {
    const all = nodes.flatMap(branchesOf);
    if (Array.isArray(value)) {
      const items = all.map(({ items }) => items).filter(isNode);
      return items.length === 0 ? value : value.map(item => restore(item, items));
    }
    if (!isNode(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const known = all.flatMap(({ properties }) =>
          isNode(properties) && Object.hasOwn(properties, key) && isNode(properties[key]) ? [properties[key]] : [],
        );
        if (known.length === 0) return [key, member];
        return [renamed.get(key) ?? key, restore(member, known)];
      }),
    );
  };
  return restore(args, [schema]) as Record<string, unknown>;
}

class Unacceptable extends PhraseError {}
class TooManyParts extends Unacceptable {}

function converted(source: SchemaNode, detail: Detail): { schema: SchemaNode; renamed: ReadonlyMap<string, string> } {
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

class Conversion {
  /** Names that providers refuse, by those that stand for them. */
  readonly renamed = new Map<string, string>();
  /** Names of arguments that stayed as they are. */
  readonly kept = new Set<string>();
  readonly #names = new Map<string, string>();
  #steps = 0;
  #nesting = 0;

  constructor(
    private readonly source: SchemaNode,
    private readonly detail: Detail,
    /** Names that may not stand for another. */
    private readonly taken: ReadonlySet<string>,
  ) {}

  root(): SchemaNode {
    const { $ref } = this.source;
    if (typeof $ref === 'string' && !resolvePointer(this.source, $ref)) {
      throw new Unacceptable(phrase('its input schema refers to "{0}", which is not there', visible($ref, 80)));
    }
    const { node, refs } = this.#union(this.#flatten(this.source, []));
    const types = typesOf(node);
    if (types.length > 0 && !types.includes('object')) {
      throw new Unacceptable(phrase('its input schema is of type {0}, not object', types.join(', ')));
    }
    return this.#typed(node, 'object', refs, 0);
  }

  /** @returns undefined for a node that allows nothing. */
  #convert(raw: unknown, refs: readonly string[], depth: number): SchemaNode | undefined {
    if (raw === false) return undefined;
    if (!isNode(raw)) return {};
    let flat = this.#flatten(raw, refs);
    if (isNode(flat.node.properties)) flat = this.#union(flat);
    const { node } = flat;
    const branches = isNode(node.properties) ? [] : alternativesOf(node);
    if (branches.length > 0) return this.#anyOf(node, branches, flat.refs, depth);
    const types = typesOf(node);
    if (types.length === 0) return this.#described(node, {});
    if (types.length === 1) return this.#typed(node, types[0]!, flat.refs, depth);
    const { description, title, default: _, ...rest } = node;
    const anyOf = types.map(type => this.#typed(rest, type, flat.refs, depth + 1));
    return this.#described(node, { anyOf });
  }

  #anyOf(node: SchemaNode, branches: readonly unknown[], refs: readonly string[], depth: number): SchemaNode {
    if (depth >= this.detail.depth) return this.#described(node, {});
    const type = node.type === undefined ? {} : { type: node.type };
    const anyOf = branches
      .map(branch => this.#convert(isNode(branch) ? { ...type, ...branch } : branch, refs, depth + 1))
      .filter(branch => branch !== undefined);
    if (anyOf.length === 0) return this.#described(node, {});
    return this.#described(node, anyOf.length === 1 ? anyOf[0]! : { anyOf });
  }

  #typed(node: SchemaNode, type: SchemaType, refs: readonly string[], depth: number): SchemaNode {
    const values = valuesOf(node)?.filter(value => isOfType(value, type));
    const limits = values && type !== 'null' ? { enum: [...new Set(values)] } : {};
    switch (type) {
      case 'object':
        return this.#described(node, { type, ...this.#members(node, refs, depth) });
      case 'array':
        return this.#described(node, {
          type,
          items: this.#items(node, refs, depth),
          ...numbers(node, 'minItems', 'maxItems'),
        });
      case 'string':
        return this.#described(node, { type, ...limits, ...numbers(node, 'minLength', 'maxLength') });
      case 'number':
      case 'integer':
        return this.#described(node, { type, ...limits, ...bounds(node, type) });
      case 'boolean':
      case 'null':
        return this.#described(node, { type, ...limits });
    }
  }

  #members(node: SchemaNode, refs: readonly string[], depth: number): SchemaNode {
    const properties: Record<string, unknown> = {};
    const required = new Set(stringsOf(node.required));
    for (const [key, value] of depth < this.detail.depth ? entriesOf(node.properties) : []) {
      const property = this.#convert(value, refs, depth + 1);
      if (!property) continue;
      const name = this.#name(key);
      properties[name] = name === key ? property : named(key, property);
    }
    const known = [...required].map(key => this.#names.get(key) ?? key).filter(key => Object.hasOwn(properties, key));
    return known.length > 0 ? { properties, required: known } : { properties };
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
          .replace(/^_+|_+$/g, '') || 'argument';
      name = readable;
      for (let count = 2; this.taken.has(name) || this.renamed.has(name); count++) name = `${readable}_${count}`;
      this.#names.set(key, name);
      this.renamed.set(name, key);
    }
    return name;
  }

  #items({ items, prefixItems }: SchemaNode, refs: readonly string[], depth: number): SchemaNode {
    if (depth >= this.detail.depth) return {};
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    return this.#convert(tuple ? { anyOf: tuple } : items, refs, depth + 1) ?? {};
  }

  /** Adds the annotations of the node, unless `schema` has its own. */
  #described(node: SchemaNode, schema: SchemaNode): SchemaNode {
    const { descriptionLength, defaults } = this.detail;
    const hints = [
      typeof node.description === 'string' ? node.description : typeof node.title === 'string' ? node.title : '',
      // As keywords these are refused by some providers, for a format or a syntax that they don't know.
      typeof node.format === 'string' && `Format: ${node.format.slice(0, 100)}`,
      typeof node.pattern === 'string' && node.pattern.length <= 200 && `Pattern: ${node.pattern}`,
    ].filter(Boolean);
    const description = descriptionLength > 0 && visibleLines(hints.join('\n'), descriptionLength);
    return {
      ...schema,
      ...(description && { description }),
      ...(defaults && Object.hasOwn(node, 'default') && isSimple(node.default) && { default: node.default }),
    };
  }

  /** Puts what a node refers to, and what it is all of, into the node itself. */
  #flatten(raw: SchemaNode, refs: readonly string[]): Flat {
    if (++this.#steps > MAX_STEPS) throw new TooManyParts(phrase('its input schema has too many parts'));
    const { $ref, allOf, ...own } = raw;
    if (typeof $ref !== 'string' && !Array.isArray(allOf)) return { node: raw, refs };
    const parts: SchemaNode[] = [];
    let path = refs;
    if (typeof $ref === 'string') {
      const target = resolvePointer(this.source, $ref);
      // A loop ends in a value of the same type, about which nothing more is said.
      if (target && refs.includes($ref)) parts.push({ type: target.type });
      else if (target) {
        parts.push(target);
        path = [...refs, $ref];
      }
    }
    if (Array.isArray(allOf)) for (const part of allOf) if (isNode(part)) parts.push(part);
    let node: SchemaNode = {};
    for (const part of path.length + this.#nesting > MAX_NESTING ? [] : parts) {
      this.#nesting++;
      const flat = this.#flatten(part, path);
      this.#nesting--;
      node = merge(node, flat.node);
      path = flat.refs;
    }
    return { node: merge(node, own), refs: path };
  }
  /**
   * An object that is also one of several: their properties together, all of them optional that not every one requires.
   * No provider takes alternatives at the root.
   */
  #union({ node, refs }: Flat): Flat {
    const { anyOf: _anyOf, oneOf: _oneOf, ...own } = node;
    const flats = alternativesOf(node)
      .filter(isNode)
      .map(branch => this.#flatten(branch, refs));
    const properties = new Map<string, unknown[]>();
    for (const [key, value] of flats.flatMap(flat => entriesOf(flat.node.properties))) {
      const values = properties.get(key) ?? [];
      properties.set(key, [...values, value]);
    }
    if (properties.size === 0) return flats.length === 0 ? { node, refs } : { node: own, refs };
    for (const [key, value] of entriesOf(own.properties)) properties.set(key, [value]);
    const shared = stringsOf(flats[0]?.node.required).filter(key =>
      flats.every(flat => stringsOf(flat.node.required).includes(key)),
    );
    return {
      node: {
        ...own,
        properties: Object.fromEntries(
          [...properties].map(([key, all]) => [key, all.length === 1 ? all[0] : { anyOf: all }]),
        ),
        required: [...stringsOf(own.required), ...shared],
      },
      refs: [...new Set([...refs, ...flats.flatMap(flat => flat.refs)])],
    };
  }
}

/** Other descriptions may speak of an argument by its own name. */
function named(key: string, property: SchemaNode): SchemaNode {
  const { description } = property;
  const own = `Named "${visible(key, 80)}".`;
  return { ...property, description: typeof description === 'string' ? `${own} ${description}` : own };
}

/** A node of ours and what it may be instead, however deep. */
function branchesOf(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...alternativesOf(node).filter(isNode).flatMap(branchesOf)];
}

function alternativesOf({ anyOf, oneOf }: SchemaNode): readonly unknown[] {
  const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return alternatives.slice(0, MAX_ALTERNATIVES);
}

function numbers(node: SchemaNode, ...keywords: string[]): SchemaNode {
  return Object.fromEntries(keywords.filter(key => Number.isFinite(node[key])).map(key => [key, node[key]]));
}

/** Fewer providers support exclusive bounds: for integers, equivalent inclusive ones replace them. */
function bounds(node: SchemaNode, type: 'number' | 'integer'): SchemaNode {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = node;
  const step = type === 'integer' ? 1 : 0;
  return {
    ...(typeof above === 'number' && Number.isFinite(above) && { minimum: above + step }),
    ...(typeof below === 'number' && Number.isFinite(below) && { maximum: below - step }),
    ...numbers(node, 'minimum', 'maximum'),
  };
}

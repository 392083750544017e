import { getOrInsert } from './events';
import { isObject } from './json';
import { DATA, MAX_SCHEMA_DEPTH, NAMED, REFERENCES } from './schemaKeywords';
import { percentDecoded } from './text';

type Schema = Record<string, unknown>;
/** Keys from the whole down to a part. */
type Steps = readonly string[];

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'];
/** Keywords by which a value is refused because a part below them takes too much, as those with faults do. */
const DECIDING: ReadonlySet<string> = new Set(['oneOf', 'not', 'if']);
/** Keywords that name a schema for references, of any dialect. In a copy all references begin at the root. */
const IDENTITIES: ReadonlySet<string> = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$recursiveAnchor']);

/** What a JSON schema says that can't be meant, so that nothing is decided by it. */
export interface SchemaFault {
  /** `reference`: it leads nowhere or out of the document. `closed`: an object that may have no members, although it is for some. */
  readonly kind: 'reference' | 'closed';
  /** The reference as it is written, or the property path of the object; empty for the whole. */
  readonly name: string;
}

/** A JSON schema in which every reference is a pointer from its root to a part of it. */
export interface LocalSchema {
  readonly schema: Readonly<Schema>;
  readonly faults: readonly SchemaFault[];
}

const known = new WeakMap<object, LocalSchema>();

/**
 * A schema as its author means it: with references that are looked up as frameworks write them (from the nearest schema with a
 * `$schema` or `$id`, from the root, or from the nearest that has the definition; relative; by `$id` or anchor), with `nullable`
 * of OpenAPI as a type, also where a generator made a mistake of it, and without what `faults` names. The same object if nothing is to be done; made once for each.
 */
export function localSchema(whole: Readonly<Schema>): LocalSchema {
  return getOrInsert(known, whole, () => new Localization(whole).local());
}

/** The part of a schema at a JSON pointer from its root, as in `#/$defs/a` (RFC 6901); undefined if there is none. */
export function partAt(whole: Readonly<Schema>, pointer: string): unknown {
  const steps = stepsOf(pointer.slice(0, MAX_POINTER));
  return steps && at(whole, steps);
}

const MAX_POINTER = 2_000;

/** The keys in a pointer as a fragment of an URL. */
function stepsOf(pointer: string): Steps | undefined {
  if (pointer === '#') return [];
  if (!pointer.startsWith('#/')) return undefined;
  return pointer.slice(2).split('/').map(unescaped);
}

const unescaped = (step: string) => percentDecoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
const pointerTo = (steps: Steps) =>
  steps.reduce((all, step) => `${all}/${encodeURI(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`, '#');

function at(whole: unknown, steps: Steps): unknown {
  let part = whole;
  for (const step of steps) {
    if (typeof part !== 'object' || part === null || step === '__proto__' || !Object.hasOwn(part, step))
      return undefined;
    part = (part as Schema)[step];
  }
  return part;
}

const isSchema = (value: unknown) => isObject(value) || typeof value === 'boolean';
const hasMembers = (value: unknown) => isObject(value) && Object.keys(value).length > 0;

/** A part on the way from the root, which is the last of `above`. */
interface Place {
  readonly node: Schema;
  readonly steps: Steps;
  readonly above: Place | undefined;
}

class Localization {
  readonly #faults: SchemaFault[] = [];
  #identities: ReadonlyMap<string, Steps> | undefined;
  readonly #names = new WeakMap<object, readonly string[]>();

  constructor(private readonly whole: Readonly<Schema>) {}

  local(): LocalSchema {
    return { schema: this.#visit(this.whole, [], undefined) as Schema, faults: this.#faults };
  }

  /** A schema or a list of schemas; the same object if nothing in it is changed. */
  #visit(value: unknown, steps: Steps, above: Place | undefined): unknown {
    if (typeof value !== 'object' || value === null || steps.length > MAX_SCHEMA_DEPTH) return value;
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#visit(item, [...steps, String(index)], above));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    const node = value as Schema;
    const place: Place = { node, steps, above };
    const isClosed = this.#isClosedByMistake(place);
    if (isClosed) this.#faults.push({ kind: 'closed', name: propertyPath(steps) });
    const isNull = isNullByMistake(node);
    const copy = mapped(node, (key, member) => {
      if (REFERENCES.has(key) && typeof member === 'string') return ['$ref', this.#reference(member, place)];
      if (IDENTITIES.has(key) && typeof member === 'string') return [key, undefined];
      if (key === '$schema' && above) return [key, undefined];
      if ((key === 'additionalProperties' && isClosed) || (key === 'type' && isNull)) return [key, undefined];
      if (DATA.has(key)) return [key, member];
      const before = this.#faults.length;
      const below = this.#below(key, member, place);
      if (this.#faults.length === before || !DECIDING.has(key)) return [key, below];
      return key === 'oneOf' && node.anyOf === undefined ? ['anyOf', below] : [key, undefined];
    });
    return copy.nullable === true || isNull ? withNull(copy) : copy;
  }

  #below(key: string, member: unknown, place: Place): unknown {
    const steps = [...place.steps, key];
    if (!NAMED.has(key) || !isObject(member)) return this.#visit(member, steps, place);
    return mapped(member, (name, schema) => [name, this.#visit(schema, [...steps, name], place)]);
  }

  /** The reference from the root; undefined if it leads nowhere. */
  #reference(reference: string, place: Place): string | undefined {
    const steps = this.#target(reference, place);
    if (!steps) this.#faults.push({ kind: 'reference', name: reference });
    return steps && pointerTo(steps);
  }

  #target(reference: string, place: Place): Steps | undefined {
    if (reference.length > MAX_POINTER) return undefined;
    const relative = /^(\d+)(?:\/(.*))?$/s.exec(reference);
    if (relative) return this.#relative(place.steps, Number(relative[1]), relative[2]);
    const hash = reference.indexOf('#');
    const [document, fragment] = hash < 0 ? [reference, '#'] : [reference.slice(0, hash), reference.slice(hash)];
    const below = stepsOf(fragment);
    const isThere = (steps: Steps) => isSchema(at(this.whole, steps));
    if (document !== '') {
      const base = this.#byIdentity(below ? document : reference);
      return base && [[...base, ...(below ?? [])]].find(isThere);
    }
    if (!below) return this.#byIdentity(fragment);
    const targets = basesOf(place).map(base => [...base.steps, ...below]);
    return targets.find(isThere);
  }

  /** As zod-to-json-schema writes them: so many levels up, then down. */
  #relative(steps: Steps, up: number, down: string | undefined): Steps | undefined {
    if (up > steps.length) return undefined;
    const target = [...steps.slice(0, steps.length - up), ...(down ? down.split('/').map(unescaped) : [])];
    return isSchema(at(this.whole, target)) ? target : undefined;
  }

  #byIdentity(name: string): Steps | undefined {
    this.#identities ??= identitiesIn(this.whole);
    return this.#identities.get(name);
  }

  /**
   * Whether `additionalProperties: false` forbids what the rest of the schema is for: members by their names, or those of its
   * alternatives; or it leaves an argument no value but `{}`, as fastmcp lists records and objects of any members.
   */
  #isClosedByMistake({ node, steps, above }: Place): boolean {
    if (node.additionalProperties !== false || hasMembers(node.patternProperties)) return false;
    const own = isObject(node.properties) ? node.properties : {};
    const others = ALTERNATIVES.flatMap(key => (Array.isArray(node[key]) ? node[key] : []));
    const described = [...others, node.then, node.else, { $ref: node.$ref }];
    if (this.#describesMore(described, own, { node, steps, above })) return true;
    if (hasMembers(own)) return false;
    const isArgument = steps.length > 0 && !steps.some(step => ALTERNATIVES.includes(step) || step === 'not');
    return node.propertyNames !== undefined || (isArgument && node.maxProperties !== 0);
  }

  /** Whether some schemas list members that are not among these. What several of them refer to is looked at once. */
  #describesMore(schemas: readonly unknown[], members: Readonly<Schema>, place: Place): boolean {
    const seen = new Set<unknown>();
    return schemas.filter(isObject).some(schema => {
      const steps = typeof schema.$ref === 'string' ? this.#target(schema.$ref, place) : undefined;
      const { properties } = (steps ? at(this.whole, steps) : schema) as Schema;
      if (!isObject(properties) || seen.has(properties)) return false;
      seen.add(properties);
      return this.#namesIn(properties).some(name => !Object.hasOwn(members, name));
    });
  }

  /** Thousands may refer to one object of thousands. */
  #namesIn(properties: object): readonly string[] {
    return getOrInsert(this.#names, properties, () => Object.keys(properties));
  }
}

/** The schemas that a local reference may begin at, the likeliest first. */
function basesOf(place: Place): readonly Place[] {
  const all: Place[] = [];
  for (let one: Place | undefined = place; one; one = one.above) all.push(one);
  const root = all.at(-1)!;
  const nearest = all.find(({ node }) => typeof node.$id === 'string' || typeof node.$schema === 'string') ?? root;
  return [nearest, root, ...all.filter(({ node }) => isObject(node.$defs) || isObject(node.definitions))];
}

/** The places of the schemas that have an `$id` or an anchor, by these. An anchor stands behind a `#`. */
function identitiesIn(whole: Readonly<Schema>): ReadonlyMap<string, Steps> {
  const found = new Map<string, Steps>();
  const visit = (value: unknown, steps: Steps, areNames = false): void => {
    if (typeof value !== 'object' || value === null || steps.length > MAX_SCHEMA_DEPTH) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'string' && !areNames && IDENTITIES.has(key)) {
        const isAnchor = key === '$anchor' || key === '$dynamicAnchor';
        const name = isAnchor ? `#${member}` : member.replace(/(?<=.)#$/, '');
        if (!found.has(name)) found.set(name, steps);
      } else if (areNames || !DATA.has(key)) visit(member, [...steps, key], !areNames && NAMED.has(key));
    }
  };
  visit(whole, []);
  return found;
}

/** A copy with other members, of which those that are undefined are left out; the same object if all are the same. */
function mapped(node: Schema, map: (key: string, member: unknown) => readonly [string, unknown]): Schema {
  const before = Object.entries(node);
  const after = before.map(([key, member]) => map(key, member));
  const isSame = after.every(([key, member], index) => key === before[index]![0] && member === before[index]![1]);
  return isSame ? node : Object.fromEntries(after.filter(([, member]) => member !== undefined));
}

/** `"type": "null"` beside other schemas is what openapi-mcp-generator makes of `nullable: true`. No value would fit. */
const isNullByMistake = (schema: Schema) =>
  schema.type === 'null' && ALTERNATIVES.some(key => Array.isArray(schema[key]));

/** What OpenAPI 3.0 writes as `nullable: true`. */
function withNull({ nullable: _, ...schema }: Schema): Schema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  const types = [...new Set([type, 'null'].flat())];
  return { ...schema, type: types, ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }) };
}

/** The names of the properties on the way to a part. */
const propertyPath = (steps: Steps) => steps.filter((_, index) => steps[index - 1] === 'properties').join('.');

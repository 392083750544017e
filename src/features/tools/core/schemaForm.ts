import { isObject, ownMember, stringsOf } from '../../../base/json';
import { localSchema } from '../../../base/localSchema';
import {
  type Field,
  type FieldSource,
  FormBudget,
  fieldOf,
  type JsonSchema,
  orNull,
  resolved,
  standalone,
  withNamedMembers,
} from './schemaFields';

interface About {
  /** Where in the arguments the value goes; empty: it is all of them. */
  path: readonly string[];
  /** The schema takes null, also where the form does not offer it because leaving the value out means the same. */
  nullable?: boolean;
  /** The schema's own words, unescaped. */
  title?: string;
  description?: string;
  required: boolean;
  default?: unknown;
}

export type FormStep = About & Field;

/** Objects in objects, beyond which a form is harder to follow than JSON. */
const MAX_DEPTH = 3;
/** Beyond this many questions the whole is asked for as JSON, unless the caller allows more. */
const MAX_STEPS = 40;
const MOST_STEPS = 300;
interface FormLimits {
  readonly maxSteps?: number;
  /** Whether null is an answer; else such a value can only be left out. */
  readonly takesNull?: boolean;
}

/**
 * The questions that give the arguments of a tool (spec: server/tools, `inputSchema`), in the order of the schema. What no
 * form can express is a step of JSON, at worst one for the whole. Never throws: the schema comes from a server.
 */
export function formOf(
  inputSchema: JsonSchema,
  { maxSteps = MAX_STEPS, takesNull = true }: FormLimits = {},
): FormStep[] {
  const whole: FormStep[] = [{ path: [], required: true, kind: 'json', schema: inputSchema }];
  const { schema: local } = localSchema(inputSchema);
  const budget = new FormBudget();
  const root = resolved(local, { root: local, budget })?.schema;
  if (!root) return whole;
  const properties = isObject(root.properties) ? root.properties : {};
  if (Object.keys(properties).length === 0) return isOpen(root) ? whole : [];
  const steps: FormStep[] = [];
  const resolving = { root: local, takesNull, fills: true, seen: new Set<string>(), budget };
  const fits = addSteps(steps, root, { path: [], required: true }, resolving);
  return fits && steps.length <= maxSteps ? steps : whole;
}

/** Whether an object without listed properties still means to take some. */
function isOpen(schema: JsonSchema): boolean {
  const alternatives = ['anyOf', 'oneOf', 'allOf', 'patternProperties', '$ref', 'if'];
  return isObject(schema.additionalProperties) || alternatives.some(key => ownMember(schema, key) !== undefined);
}

interface Resolving extends FieldSource {
  readonly takesNull: boolean;
  /** Whether defaults are filled in here. */
  readonly fills: boolean;
  /** References on the way here. */
  readonly seen: ReadonlySet<string>;
}

/** False when there are too many. */
function addSteps(steps: FormStep[], schema: JsonSchema, about: About, resolving: Resolving): boolean {
  const { root, takesNull, fills, seen } = resolving;
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(schema.properties as object)) {
    if (steps.length >= MOST_STEPS) return false;
    const refs = new Set(seen);
    const { schema: part, isNullable = false } = resolved(property, resolving, refs) ?? {};
    const found = part && withNamedMembers(part);
    const path = [...about.path, name];
    const inherited = ownMember(about.default, name);
    const next: About = {
      path,
      ...textOf(found, 'title'),
      ...textOf(found, 'description'),
      required: about.required && required.includes(name),
      ...(fills && defaultOf(found?.default ?? inherited)),
      ...(isNullable && { nullable: true }),
    };
    // A value whose default is null need not be sent.
    const offersNull = takesNull && isNullable && (next.required || found?.default !== null);
    const plain = found && fieldOf(found, resolving, refs);
    const field = plain && offersNull ? orNull(plain) : plain;
    if (found && !field && isPlainObject(found) && path.length <= MAX_DEPTH) {
      const isBegun = fills && (required.includes(name) || needsNothing(found, next.default));
      if (!addSteps(steps, found, next, { ...resolving, fills: isBegun, seen: refs })) return false;
    } else {
      steps.push({ ...next, ...(field ?? { kind: 'json', schema: standalone(property, root) }) });
    }
  }
  return steps.length <= MOST_STEPS;
}

/** Whether defaults give all that an object requires: with some of it, an object that may be left out would be refused. */
function needsNothing({ required, properties }: JsonSchema, whole: unknown): boolean {
  const defaults = (name: string) => ownMember(ownMember(properties, name), 'default') ?? ownMember(whole, name);
  return stringsOf(required).every(name => 'default' in defaultOf(defaults(name)));
}

function textOf(
  schema: JsonSchema | undefined,
  key: 'title' | 'description',
): { title?: string; description?: string } {
  const text = schema?.[key];
  return typeof text === 'string' && text !== '' ? { [key]: text } : {};
}

function defaultOf(value: unknown): { default?: unknown } {
  return value === undefined || value === null ? {} : { default: value };
}

/** An object of which all properties are listed. */
function isPlainObject(schema: JsonSchema): boolean {
  const { type, properties, additionalProperties } = schema;
  if (type !== undefined && type !== 'object') return false;
  if (isObject(additionalProperties) || ['anyOf', 'oneOf', 'allOf', 'patternProperties'].some(key => key in schema)) {
    return false;
  }
  return isObject(properties) && Object.keys(properties).length > 0;
}

export const valueAt = (args: unknown, path: readonly string[]): unknown => path.reduce(ownMember, args);

/** The arguments with a value put in or, for undefined, taken out; objects that are left empty by that go too. */
export function withValue(args: unknown, [name, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(isObject(args) ? args : {})) put(copy, key, item);
  if (name === undefined) return isObject(value) ? value : copy;
  const inner = rest.length > 0 ? withValue(ownMember(copy, name), rest, value) : value;
  const isEmpty =
    inner === undefined || (rest.length > 0 && value === undefined && Object.keys(inner as object).length === 0);
  if (isEmpty) delete copy[name];
  else put(copy, name, inner);
  return copy;
}

/** Not `record[key] = value`: an argument may well be called "__proto__". */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

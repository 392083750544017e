import { isObject, ownMember, stringOf, stringsOf } from '../../../base/json';
import type { DraftInput, Json } from './serverDraft';

/** A setting of a server that a person may leave out. */
export interface OptionalSetting {
  /** How it is chosen, and shown. */
  readonly name: string;
  readonly description: string;
}

/** Older answers wrote it otherwise, and people write it as JSON Schema once had it. */
const isRequired = (item: Json) => [item.isRequired, item.is_required, item.required].includes(true);

/** Whether a variable or header may be left out. */
export const isOptional = (item: Json): boolean => !isRequired(item) && !stringOf(item.value);

/** An argument of a `server.json`, and the ways to give it. */
interface RegistryArgument {
  readonly item: Json;
  /** Its flag, or what its value stands for. */
  readonly key: string;
  readonly description: string;
  readonly isRepeated: boolean;
  readonly isNamed: boolean;
  /** Empty: it is always there. A flag that may have a value can be given either way. */
  readonly optional: readonly OptionalSetting[];
}

/** How a flag is chosen together with a value. */
const withValue = (name: string) => `${name} …`;

export function argumentOf(item: Json): RegistryArgument {
  const name = stringOf(item.name);
  const isNamed = stringOf(item.type) === 'named';
  const key = (isNamed ? name : stringOf(item.valueHint ?? item.value_hint) || name) || 'argument';
  const fallback = stringOf(item.default);
  const description = [stringOf(item.description), fallback && `(${fallback})`].filter(Boolean).join(' ');
  const isFixed = stringOf(item.value) !== '' || isRequired(item) || (isNamed && name === '');
  const ways = isNamed && !hasValue(item) ? [key, withValue(key)] : [key];
  return {
    item,
    key,
    description,
    isNamed,
    isRepeated: (item.isRepeated ?? item.is_repeated) === true,
    optional: isFixed ? [] : ways.map(way => ({ name: way, description })),
  };
}

/** Whether it is known that a flag has a value. */
const hasValue = ({ value, default: byDefault, choices, format, variables }: Json) =>
  [value, byDefault, choices, format, variables].some(given => given !== undefined);

/** A name of what takes a port: `--port` and `port` are the same. */
const portName = (name: string) => name.replace(/^-+/, '');

const isNamed = ({ name, valueHint, value_hint: older }: Json, port: string | undefined): boolean =>
  port !== undefined && [name, valueHint, older].some(known => portName(stringOf(known)) === port);

/** What takes the port of an address that has a placeholder for it. */
interface PortTakers {
  /** How they name it, where it may be any: then a free one is chosen at each start. */
  readonly port?: string;
  /** The values of placeholders of the address. */
  readonly variables: Json;
}

/** The arguments and variables that take the port of an address. @param placeholder in its place. */
export function portTakers(placeholder: string | undefined, all: readonly Json[]): PortTakers {
  if (placeholder === undefined) return { variables: {} };
  const port = portName(placeholder);
  const takers = all.filter(item => isNamed(item, port) || stringOf(item.value).includes(`{${placeholder}}`));
  const fixed = takers.map(({ value }) => stringOf(value)).find(value => /^\d+$/.test(value));
  if (fixed !== undefined) return { variables: { [placeholder]: { value: fixed } } };
  return takers.length > 0 ? { port, variables: {} } : { variables: {} };
}

const MAX_FILLED = 100_000;
/** A placeholder costs as much as a short text, which bounds their number and depth. */
const PLACEHOLDER_COST = 100;

/** Values of a `server.json` in settings: fixed ones as they are, all others as inputs. */
export class RegistryValues {
  readonly #inputs = new Map<string, DraftInput>();
  /** Characters that may still be filled in. A variable may name others, twice at each of many levels. */
  #room = MAX_FILLED;

  /** @param prefix of its inputs' ids. @param port the argument, variable or placeholder for it (`portName`). */
  constructor(
    private readonly prefix: string,
    private readonly port?: string,
  ) {}

  get inputs(): readonly DraftInput[] {
    return [...this.#inputs.values()];
  }

  /** The values of variables or headers: of those that are required, and those that the person has chosen. */
  pairs(all: readonly Json[], chosen: ReadonlySet<string>): Record<string, string> {
    const wanted = all.filter(item => !isOptional(item) || chosen.has(stringOf(item.name)) || isNamed(item, this.port));
    return Object.fromEntries(
      wanted.map(item => [stringOf(item.name), settled(this.#valueOf(item, stringOf(item.name)))]),
    );
  }

  /** Fills in `{curly}` placeholders. Other text that looks like a variable of ours is escaped. */
  fill(template: string, variables: Json): string {
    return settled(this.#filled(template, variables, name => this.#input({}, name)));
  }

  /** The words of required and chosen arguments. @param counts how often each is given, by key. */
  words(all: readonly RegistryArgument[], chosen: ReadonlySet<string>, counts: ReadonlyMap<string, number>): string[] {
    return all.flatMap(argument => {
      const { item, key, isNamed: isOption, optional } = argument;
      const isPort = isNamed(item, this.port);
      const isWanted = isPort || optional.length === 0 || optional.some(({ name }) => chosen.has(name));
      if (isOption && stringOf(item.name) === '') return [];
      // The place of what follows depends on it.
      if (!isWanted) return !isOption && stringOf(item.default) ? [plainValue(stringOf(item.default))] : [];
      const isFlag = !isPort && optional.length > 1 && !chosen.has(withValue(key));
      if (isFlag) return [plainValue(key)];
      const count = argument.isRepeated ? Math.max(1, counts.get(key) ?? 1) : 1;
      const name = (isPort && this.port) || portName(key) || 'argument';
      return Array.from({ length: count }, (_, index) => {
        const value = settled(this.#valueOf(item, name, index, other => `{${other}}`));
        return isOption ? [plainValue(key), value] : [value];
      }).flat();
    });
  }

  /** @param unknown the value for a placeholder that its variables do not have, as a person is to see it first. */
  #valueOf(item: Json, name: string, index = 0, unknown?: (name: string) => string): string {
    const fixed = stringOf(item.value);
    if (!fixed) return this.#input(item, name, index);
    const variables = isObject(item.variables) ? item.variables : {};
    return this.#filled(fixed, variables, other => this.#input({ default: unknown?.(other) }, other, index), index);
  }

  #filled(template: string, variables: Json, ask: (name: string) => string, index = 0): string {
    return unmarked(template).replace(/(?<!\$)\{([\w.-]+)\}/g, (all, name: string) => {
      if (this.#room <= 0) return all;
      this.#room -= PLACEHOLDER_COST;
      const variable = ownMember(variables, name);
      const value = isObject(variable) ? this.#valueOf(variable, name, index) : ask(name);
      this.#room -= value.length;
      return value;
    });
  }

  #input(item: Json, name: string, index = 0): string {
    if (this.port !== undefined && portName(name) === this.port) return `${REFERENCE}{port}`;
    const base = `${this.prefix}-${name}`.replace(/[\s{}$:]+/g, '-').slice(0, 95);
    const id = index === 0 ? base : `${base}-${index + 1}`;
    const described = (stringOf(item.description) || name).slice(0, 500);
    const example = stringOf(item.placeholder) && ` (${stringOf(item.placeholder).slice(0, 100)})`;
    const description = `${described}${example}${index === 0 ? '' : ` (${index + 1})`}`;
    const choices = item.format === 'boolean' ? ['true', 'false'] : stringsOf(item.choices);
    const byDefault = stringOf(item.default);
    const input: DraftInput =
      choices.length > 0
        ? { type: 'pickString', id, description, options: choices }
        : { type: 'promptString', id, description, password: item.isSecret === true || item.is_secret === true };
    if (byDefault && input.password !== true) input.default = byDefault;
    if (!this.#inputs.has(id)) this.#inputs.set(id, input);
    return `${REFERENCE}{input:${id}}`;
  }
}

/** The `$` of our own references until a text is put together: parts of others may make up what looks like one. */
const REFERENCE = '\0';
const unmarked = (value: string) => value.replaceAll(REFERENCE, '');
const settled = (value: string) => plainValue(value).replaceAll(REFERENCE, '$');

/** A text of others in an entry, in which nothing is a variable. */
export const plainValue = (value: string): string => value.replace(/\$(?=\{)/g, '$$$$');

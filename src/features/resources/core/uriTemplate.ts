import { ownMember } from '../../../base/json';
import { PhraseError, phrase } from '../../../base/phrase';

/** How an operator of RFC 6570 joins and writes values (its appendix A). */
interface Operator {
  readonly first: string;
  readonly separator: string;
  /** Writes `name=value`. */
  readonly named: boolean;
  /** Written after the name of an empty value. */
  readonly ifEmpty: string;
  /** Leaves reserved characters and escapes as they are. */
  readonly reserved: boolean;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', reserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', reserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', reserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', reserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', reserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false },
};

interface VariableSpec {
  readonly name: string;
  readonly explode: boolean;
  /** How many characters of the value are written. */
  readonly prefix?: number;
}

interface Expression {
  readonly source: string;
  readonly operator: string;
  readonly variables: readonly VariableSpec[];
}

/** A value of RFC 6570: text, a list, or pairs of name and value. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>>;

/** A variable as a person is asked for it. */
interface TemplateVariable {
  readonly name: string;
  /** The URI makes no sense without it; what other operators write vanishes with its value. */
  readonly required: boolean;
  /** It takes several values: the modifier `*`. */
  readonly several: boolean;
}

/** A URI template that cannot be filled in. It completes "its template is broken: ". */
export class TemplateError extends PhraseError {
  override readonly name = 'TemplateError';
}

/**
 * A URI template (RFC 6570), all operators and modifiers. Not the SDK's `UriTemplate`, which knows neither `;` nor
 * prefixes nor exploded pairs, does not escape the values of `{a,b}`, and lets broken templates pass. More names are
 * allowed than by the RFC: servers use `{user-id}`.
 */
export class UriTemplate {
  readonly #parts: readonly (string | Expression)[];

  /** @throws TemplateError which says what is wrong and where. */
  constructor(readonly source: string) {
    this.#parts = parse(source);
  }

  /** Each variable once, in the order of the template. */
  get variables(): readonly TemplateVariable[] {
    const byName = new Map<string, TemplateVariable>();
    for (const { operator, variables } of this.#expressions) {
      for (const { name, explode } of variables) {
        const before = byName.get(name);
        const required = operator === '' || operator === '+' || before?.required === true;
        byName.set(name, { name, required, several: explode || before?.several === true });
      }
    }
    return [...byName.values()];
  }

  /** The URI. A variable without a value, or with an empty list, is left out. */
  expand(values: Readonly<Record<string, TemplateValue>>): string {
    return this.#parts.map(part => (typeof part === 'string' ? part : expandExpression(part, values))).join('');
  }

  /** The URI with its known values: while a required one is missing, an expression without any stays unchanged. */
  preview(values: Readonly<Record<string, TemplateValue>>): string {
    if (this.variables.every(({ name, required }) => !required || Object.hasOwn(values, name)))
      return this.expand(values);
    const isKnown = ({ variables }: Expression) => variables.some(({ name }) => Object.hasOwn(values, name));
    return this.#parts
      .map(part =>
        typeof part === 'string' ? part : isKnown(part) ? expandExpression(part, values) : `{${part.source}}`,
      )
      .join('');
  }

  /** Names in its query that an address has no value for. */
  lacking(uri: string): readonly string[] {
    const given = new Set([...uri.matchAll(/[?&]([^=&#?]*)=/g)].map(([, name]) => name));
    const queries = this.#expressions.filter(({ operator }) => operator === '?' || operator === '&');
    return queries.flatMap(({ variables }) =>
      variables.map(({ name }) => name).filter(name => !given.has(encode(name, false))),
    );
  }

  get #expressions(): readonly Expression[] {
    return this.#parts.filter(part => typeof part !== 'string');
  }
}

function parse(source: string): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let rest = 0;
  for (const { index } of source.matchAll(/[{}]/g)) {
    if (index < rest) continue;
    if (source[index] === '}')
      throw new TemplateError(phrase('the "{0}" at position {1} closes nothing', '}', index + 1));
    const end = source.indexOf('}', index);
    const inside = source.slice(index + 1, end === -1 ? undefined : end);
    if (end === -1 || inside.includes('{'))
      throw new TemplateError(phrase('the "{0}" at position {1} is not closed', '{', index + 1));
    if (index > rest) parts.push(encode(source.slice(rest, index), true));
    parts.push(parseExpression(inside, index + 1));
    rest = end + 1;
  }
  if (rest < source.length) parts.push(encode(source.slice(rest), true));
  return parts;
}

function parseExpression(source: string, position: number): Expression {
  const [operator = ''] = /^[+#./;?&=,!@|]/.exec(source) ?? [];
  if (!Object.hasOwn(OPERATORS, operator)) {
    throw new TemplateError(phrase('the operator "{0}" at position {1} is unknown', operator, position + 1));
  }
  const variables = source
    .slice(operator.length)
    .split(',')
    .map((spec): VariableSpec => {
      const [, name, star, prefix] = /^([^\s*:{}"<>\\^`|]+)(?:(\*)|:([1-9]\d{0,3}))?$/.exec(spec.trim()) ?? [];
      if (name === undefined)
        throw new TemplateError(phrase('the expression at position {0} names no variable', position));
      return { name, explode: star !== undefined, ...(prefix && { prefix: Number(prefix) }) };
    });
  return { source, operator, variables };
}

function expandExpression(
  { operator, variables }: Expression,
  values: Readonly<Record<string, TemplateValue>>,
): string {
  const rules = OPERATORS[operator]!;
  const written = variables.flatMap(variable => {
    const value = ownMember(values, variable.name);
    return value === undefined ? [] : expandVariable(variable, value, rules);
  });
  return written.length === 0 ? '' : rules.first + written.join(rules.separator);
}

/** The parts that the operator's separator joins: none, one text, or one for each member. */
function expandVariable({ name, explode, prefix }: VariableSpec, value: TemplateValue, rules: Operator): string[] {
  const escaped = (text: string) => encode(text, rules.reserved);
  const named = (key: string, text: string) =>
    rules.named ? escaped(key) + (text === '' ? rules.ifEmpty : `=${text}`) : text;
  if (typeof value === 'string') {
    return [named(name, escaped(prefix === undefined ? value : [...value].slice(0, prefix).join('')))];
  }
  if (isList(value)) {
    if (value.length === 0) return [];
    return explode ? value.map(member => named(name, escaped(member))) : [named(name, value.map(escaped).join(','))];
  }
  const pairs = Object.entries(value);
  if (pairs.length === 0) return [];
  if (!explode) return [named(name, pairs.flat().map(escaped).join(','))];
  return pairs.map(([key, text]) => (rules.named ? named(key, escaped(text)) : `${escaped(key)}=${escaped(text)}`));
}

const isList = (value: TemplateValue): value is readonly string[] => Array.isArray(value);

/** Percent-encodes as UTF-8 all but unreserved characters; of `reserved` text also those and escapes stay. */
function encode(text: string, reserved: boolean): string {
  if (!reserved) return text.replace(/[^A-Za-z0-9\-._~]/gu, percentEncoded);
  const unsafe = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;
  return text.replace(unsafe, match => (match.length === 3 ? match : percentEncoded(match)));
}

/** Half a surrogate pair has no UTF-8: it becomes the replacement character. */
function percentEncoded(character: string): string {
  return [...Buffer.from(character, 'utf8')]
    .map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** The value of a variable. Several are split at commas, or at slashes without one; `a=1, b=2` are pairs. */
export function templateValue({ several }: TemplateVariable, typed: string): TemplateValue {
  if (!several) return typed;
  const members = typed
    .split(typed.includes(',') ? ',' : '/')
    .map(member => member.trim())
    .filter(member => member !== '');
  const pairs = members.map(member => /^([^=]+)=(.*)$/s.exec(member)).filter(match => match !== null);
  if (pairs.length === 0 || pairs.length < members.length) return members;
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}

/** All that was typed, as values by name; what was left empty has none. */
export function templateValues(
  variables: readonly TemplateVariable[],
  typed: Readonly<Record<string, string>>,
): Record<string, TemplateValue> {
  const filled = variables.filter(({ name }) => Object.hasOwn(typed, name) && typed[name] !== '');
  return Object.fromEntries(filled.map(variable => [variable.name, templateValue(variable, typed[variable.name]!)]));
}

import { type Phrase, phrase } from '../../../base/phrase';
import { formatOf, isPicker, type Picker } from './formats';
import type { PageField } from './itemPageMessages';
import { matches } from './pattern';
import type { FormStep, JsonField, ListField, NumberField, Option, ScalarField, StringField } from './schemaForm';

/** The value that a text stands for, undefined where it is left out, or what is wrong with the text. */
type Coerced = { readonly value: unknown } | { readonly problem: Phrase };
type Field = ScalarField | ListField | JsonField;

/** All that pages and questions need to know of a kind of field, but how a schema asks for it (`schemaForm.ts`). */
interface Kind<F> {
  /** Its control on the page (`webview/argumentFields.ts`). */
  control(field: F): PageField['kind'];
  /** What there is to choose from; undefined where something is typed. */
  options(field: F): readonly Option[] | undefined;
  /** What it accepts, for the line below it: nothing that its control or its description says already. */
  accepts(field: F): (Phrase | string)[];
  /** The value of a required field in the JSON that a call begins with. */
  empty(field: F): unknown;
  read(field: F, text: string): Coerced;
}

const KINDS: { readonly [K in Field['kind']]: Kind<Extract<Field, { kind: K }>> } = {
  boolean: {
    control: () => 'either',
    options: () => BOOLEANS,
    accepts: () => [],
    empty: () => false,
    read: chosen,
  },
  choice: {
    control: () => 'one',
    options: ({ options }) => options,
    accepts: () => [],
    empty: ({ options }) => options[0]?.value,
    read: chosen,
  },
  number: {
    control: () => 'line',
    options: () => undefined,
    accepts: field => [field.integer ? phrase('whole number') : phrase('number'), ...bounds(field)],
    empty: ({ minimum }) => minimum ?? 0,
    read: (field, text) => coerceNumber(field, text.trim()),
  },
  string: {
    control: ({ format }) => (format === undefined ? 'lines' : isPicker(format) ? format : 'line'),
    options: () => undefined,
    accepts: field => textLimits(field, 'path' in field, 'description' in field),
    empty: () => '',
    read: (field, text) => coerceString(field, text === '""' ? '' : text),
  },
  list: {
    control: ({ items }) => (items.kind === 'choice' ? 'several' : 'line'),
    options: ({ items }) => (items.kind === 'choice' ? items.options : undefined),
    accepts: ({ items, ...field }) => [
      ...(items.kind === 'choice' ? [] : [phrase('separated by commas'), ...expectations(items)]),
      ...count(field),
    ],
    empty: () => [],
    read: coerceList,
  },
  json: {
    control: () => 'json',
    options: () => undefined,
    accepts: () => [phrase('JSON')],
    empty: ({ schema }) => (schema.type === 'array' ? [] : {}),
    read: (_, text) => parseJson(text),
  },
};

const BOOLEANS: readonly Option[] = [
  { label: phrase('Yes'), value: true },
  { label: phrase('No'), value: false },
];

const kindOf = ({ kind }: Field): Kind<Field> => KINDS[kind];
export const controlOf = (field: Field) => kindOf(field).control(field);
export const optionsOf = (field: Field) => kindOf(field).options(field);
export const expectations = (field: Field) => kindOf(field).accepts(field);
export const emptyOf = (field: Field) => kindOf(field).empty(field);

/** Choices are no texts: they are chosen. */
function chosen(): Coerced {
  return { value: undefined };
}

/** Reads what was entered for a step. Nothing entered leaves an optional value out; `""` is a text without characters. */
export function coerce(step: FormStep, text: string): Coerced {
  const isEmpty = text.trim() === '' && step.kind !== 'json' && !(step.kind === 'string' && text !== '');
  if (!isEmpty) return kindOf(step).read(step, text);
  return step.required ? { problem: required(step) } : { value: undefined };
}

/** The text that `coerce` reads as this value. */
export function textFor(step: FormStep, value: unknown): string {
  if (value === undefined) return '';
  if (step.kind === 'json') return JSON.stringify(value, null, 2);
  if (step.kind === 'list' && Array.isArray(value)) {
    const plain = value.every(item => typeof item !== 'string' || /^[^",\n[\s][^",\n]*$/.test(item));
    return plain ? value.join(', ') : JSON.stringify(value);
  }
  if (value === '') return '""';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function countProblem({ minItems, maxItems }: ListField, length: number): Phrase | undefined {
  if (minItems !== undefined && length < minItems)
    return minItems === 1
      ? phrase('At least 1 value is required.')
      : phrase('At least {0} values are required.', minItems);
  if (maxItems !== undefined && length > maxItems)
    return maxItems === 1 ? phrase('At most 1 value is allowed.') : phrase('At most {0} values are allowed.', maxItems);
  return undefined;
}

function required(step: FormStep): Phrase {
  return step.kind === 'string' && 'value' in coerceString(step, '')
    ? phrase('A value is required. Enter "" for an empty string.')
    : phrase('A value is required.');
}

function parseJson(text: string): Coerced {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: phrase('That is not JSON: {0}', (error as Error).message) };
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function coerceNumber(field: NumberField, text: string): Coerced {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { problem: phrase('Enter a number.') };
  if (field.integer && !Number.isInteger(value)) return { problem: phrase('Enter a whole number.') };
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { problem: phrase('That number is too large to be sent exactly.') };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (minimum !== undefined && value < minimum) return { problem: phrase('Must be at least {0}.', minimum) };
  if (maximum !== undefined && value > maximum) return { problem: phrase('Must be at most {0}.', maximum) };
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return { problem: phrase('Must be greater than {0}.', exclusiveMinimum) };
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return { problem: phrase('Must be less than {0}.', exclusiveMaximum) };
  if (multipleOf !== undefined && multipleOf > 0) {
    const times = value / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
      return { problem: phrase('Must be a multiple of {0}.', multipleOf) };
    }
  }
  return { value: Object.is(value, -0) ? 0 : value };
}

function coerceString(field: StringField, text: string): Coerced {
  const { format, minLength, maxLength, pattern } = field;
  // JSON schema counts characters, not UTF-16 units.
  const length = [...text].length;
  if (minLength !== undefined && length < minLength)
    return {
      problem:
        minLength === 1
          ? phrase('Must be at least 1 character long.')
          : phrase('Must be at least {0} characters long.', minLength),
    };
  if (maxLength !== undefined && length > maxLength)
    return { problem: phrase('Must be at most {0} characters long, but this has {1}.', maxLength, length) };
  if (pattern !== undefined && !matches(pattern, text))
    return {
      problem:
        'description' in field
          ? phrase('This does not have the described format (pattern {0}).', pattern)
          : phrase('Must match the pattern {0}', pattern),
    };
  const { name = format, example, accepts } = formatOf(format) ?? {};
  if (name === undefined || !accepts || accepts(text)) return { value: text };
  return { problem: example ? phrase('Enter a {0}: {1}', name, example) : phrase('Enter a valid {0}.', name) };
}

/** Commas or lines part the values; quotes hold a comma in; `[…]` is the list as JSON. */
function coerceList(field: ListField, text: string): Coerced {
  const parts = text.trim().startsWith('[') ? fromJson(text) : split(text);
  if (!parts) return { problem: phrase('That list is not valid JSON.') };
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const item = kindOf(field.items).read(field.items, part);
    if ('problem' in item) return { problem: phrase('Value {0}: {1}', index + 1, item.problem) };
    values.push(item.value);
  }
  const problem = countProblem(field, values.length);
  if (problem) return { problem };
  if (field.unique && new Set(values).size < values.length) return { problem: phrase('Values must be unique.') };
  return { value: values };
}

function fromJson(text: string): string[] | undefined {
  const parsed = parseJson(text);
  if ('problem' in parsed || !Array.isArray(parsed.value)) return undefined;
  return parsed.value.map(item => (typeof item === 'string' ? item || '""' : JSON.stringify(item)));
}

function split(text: string): string[] {
  const parts = text.match(/\s*("([^"\\]|\\.)*"\s*(?=,|\n|$)|[^,\n]*)(,|\n|$)/g) ?? [];
  return parts
    .map(part => part.replace(/[,\n]$/, '').trim())
    .filter(part => part !== '')
    .map(part => {
      if (part === '""' || !/^".*"$/s.test(part)) return part;
      const parsed = parseJson(part);
      return 'value' in parsed ? String(parsed.value) : part;
    });
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: NumberField): Phrase[] {
  const multiple = multipleOf === undefined ? [] : [phrase('a multiple of {0}', multipleOf)];
  if (minimum !== undefined && maximum !== undefined) return [phrase('{0} to {1}', minimum, maximum), ...multiple];
  return [
    ...(minimum === undefined ? [] : [phrase('at least {0}', minimum)]),
    ...(maximum === undefined ? [] : [phrase('at most {0}', maximum)]),
    ...(exclusiveMinimum === undefined ? [] : [phrase('more than {0}', exclusiveMinimum)]),
    ...(exclusiveMaximum === undefined ? [] : [phrase('less than {0}', exclusiveMaximum)]),
    ...multiple,
  ];
}

/**
 * @param isStep it has a control of its own, and is no item of a list.
 * @param isDescribed its description explains the pattern better than the pattern itself.
 */
function textLimits(
  { format, minLength, maxLength, pattern }: StringField,
  isStep: boolean,
  isDescribed: boolean,
): (Phrase | string)[] {
  return [
    ...(format === undefined ? [] : !isStep || !isPicker(format) ? [formatOf(format)?.name ?? format] : zoneOf(format)),
    ...(minLength === 1 ? [phrase('at least 1 character')] : []),
    ...(minLength && minLength > 1 ? [phrase('at least {0} characters', minLength)] : []),
    ...(maxLength === undefined ? [] : [phrase('at most {0} characters', maxLength)]),
    ...(pattern === undefined || isDescribed ? [] : [phrase('matching {0}', pattern)]),
  ];
}

/** A picker says what it takes, but not in which zone. */
const zoneOf = (picker: Picker) => (picker === 'date' ? [] : [phrase('in your time zone')]);

function count({ minItems, maxItems }: Pick<ListField, 'minItems' | 'maxItems'>): Phrase[] {
  return [
    ...(minItems ? [phrase('at least {0}', minItems)] : []),
    ...(maxItems === undefined ? [] : [phrase('at most {0}', maxItems)]),
  ];
}

import { indentedJson, isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type CoercedValue, lengthProblem, parseJson } from './enteredText';
import { formatOf, isPicker, type Picker, utcTexts } from './formats';
import type { PageField } from './itemPageMessages';
import { chosenIn, kindIn, type RowEntry, rowsIn, textOfKind, textOfRows } from './nestedTexts';
import { matches } from './pattern';
import {
  BOOLEANS,
  type Field,
  type ListField,
  type NumberField,
  type Option,
  type RecordField,
  type StringField,
  type UnionField,
} from './schemaFields';
import type { FormStep } from './schemaForm';

/** All that pages and questions need to know of a kind of field, but how a schema asks for it (`schemaForm.ts`). */
interface Kind<F> {
  /** Its control on the page (`webview/fieldInputs.ts`). */
  control(field: F): PageField['kind'];
  /** What there is to choose from; absent or undefined where something is typed. */
  options?(field: F): readonly Option[] | undefined;
  /** What it accepts, for the line below it; absent where its control or its description says that already. */
  accepts?(field: F): (Phrase | string)[];
  /** The value of a required field in the JSON that a call begins with. */
  empty(field: F): unknown;
  /** The value of a text that is not blank. */
  read(field: F, text: string): CoercedValue;
  /** The text that `read` reads as this value. */
  write(field: F, value: unknown): string;
}

const KINDS: { readonly [K in Field['kind']]: Kind<Extract<Field, { kind: K }>> } = {
  boolean: {
    control: () => 'either',
    options: () => BOOLEANS,
    empty: () => false,
    read: (_, text) => chosen(BOOLEANS, text),
    write: (_, value) => indexOf(BOOLEANS, value),
  },
  choice: {
    control: () => 'one',
    options: ({ options }) => options,
    empty: ({ options }) => options[0]?.value,
    read: ({ options }, text) => chosen(options, text),
    write: ({ options }, value) => indexOf(options, value),
  },
  number: {
    control: () => 'line',
    accepts: field => [field.integer ? phrase('whole number') : phrase('number'), ...bounds(field)],
    empty: ({ minimum }) => minimum ?? 0,
    read: (field, text) => coerceNumber(field, text.trim()),
    write: (_, value) => plainText(value),
  },
  string: {
    control: ({ format }) => (format === undefined ? 'lines' : isPicker(format) ? format : 'line'),
    accepts: field => textLimits(field, 'path' in field, 'description' in field),
    empty: () => '',
    read: (field, text) => coerceString(field, text === '""' ? '' : text),
    write: (_, value) => plainText(value),
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
    write: writeList,
  },
  json: {
    control: () => 'json',
    accepts: () => [phrase('JSON')],
    empty: ({ schema }) => (schema.type === 'array' ? [] : {}),
    read: (_, text) => parseJson(text),
    write: (_, value) => indentedJson(value),
  },
  record: {
    control: () => 'record',
    empty: () => ({}),
    read: coerceRecord,
    write: (field, value) =>
      textOfRows(
        Object.entries(isObject(value) ? value : {}).map(
          ([name, one]): RowEntry => [
            name,
            one === '' && field.values.kind === 'string' ? '' : kindOf(field.values).write(field.values, one),
          ],
        ),
      ),
  },
  union: {
    control: () => 'union',
    empty: ({ alternatives }) => alternatives[0] && emptyOf(alternatives[0]),
    read: (field, text) => {
      const { alternative, inner } = alternativeIn(field, text);
      return kindOf(alternative).read(alternative, inner);
    },
    write: ({ alternatives }, value) => {
      const isExact = alternatives.findIndex(one => one.kind !== 'json' && fits(one, value));
      const kind = Math.max(0, isExact >= 0 ? isExact : alternatives.findIndex(one => one.kind === 'json'));
      const alternative = alternatives[kind]!;
      return textOfKind({ kind, text: kindOf(alternative).write(alternative, value) });
    },
  },
  null: {
    control: () => 'null',
    empty: () => null,
    read: () => ({ value: null }),
    write: () => '',
  },
};

const kindOf = ({ kind }: Field): Kind<Field> => KINDS[kind];
export const controlOf = (field: Field) => kindOf(field).control(field);
export const optionsOf = (field: Field) => kindOf(field).options?.(field);
export const expectations = (field: Field) => kindOf(field).accepts?.(field) ?? [];
export const emptyOf = (field: Field) => kindOf(field).empty(field);

/** The choice whose index is the text, as it is within a field of several parts. */
function chosen(options: readonly Option[], text: string): CoercedValue {
  const option = options[chosenIn(text)[0] ?? -1];
  return option ? { value: option.value } : { problem: phrase('A value is required.') };
}

function indexOf(options: readonly Option[], value: unknown): string {
  const json = JSON.stringify(value);
  const index = options.findIndex(option => JSON.stringify(option.value) === json);
  return index < 0 ? '' : String(index);
}

/** Reads what was entered for a step. Nothing entered leaves an optional value out; `""` is a text without characters. */
export function coerce(step: FormStep, text: string): CoercedValue {
  const problem = lengthProblem(text);
  if (problem) return { problem };
  if (!isBlank(step, text)) return kindOf(step).read(step, text);
  if (step.kind === 'record' && step.required) return { value: {} };
  return step.required ? { problem: required(step) } : { value: undefined };
}

/** Whether nothing was entered. */
function isBlank(field: Field, text: string): boolean {
  switch (field.kind) {
    case 'null':
      return false;
    case 'string':
      return text === '';
    case 'record':
      return rowsIn(text).every(isBlankRow);
    case 'union': {
      const { alternative, inner } = alternativeIn(field, text);
      return isBlank(alternative, inner);
    }
    default:
      return text.trim() === '';
  }
}

const isBlankRow = ([name, text]: RowEntry) => name === '' && text === '';

export function textFor(step: FormStep, value: unknown): string {
  return value === undefined ? '' : kindOf(step).write(step, value);
}

const plainText = (value: unknown): string =>
  value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value);

function writeList(field: ListField, value: unknown): string {
  if (!Array.isArray(value)) return plainText(value);
  if (field.items.kind === 'choice') return value.map(item => kindOf(field.items).write(field.items, item)).join(', ');
  const isPlain = value.every(item => typeof item !== 'string' || /^[^",\n[\s][^",\n]*$/.test(item));
  return isPlain ? value.join(', ') : JSON.stringify(value);
}

function alternativeIn({ alternatives }: UnionField, text: string) {
  const { kind, text: inner } = kindIn(text);
  return { alternative: alternatives[kind] ?? alternatives[0]!, inner };
}

/** Whether a value is of the kind of a field, whatever its limits. */
function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'choice':
      return indexOf(field.options, value) !== '';
    case 'list':
      return Array.isArray(value);
    case 'record':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === field.kind;
  }
}

/** A text that was left empty beside a name is an empty text. */
function coerceRecord({ values }: RecordField, text: string): CoercedValue {
  const record = new Map<string, unknown>();
  for (const [name, one] of rowsIn(text).filter(row => !isBlankRow(row))) {
    if (name === '') return { problem: phrase('Each value needs a name.') };
    if (record.has(name)) return { problem: phrase('"{0}" is there more than once.', visible(name, 60)) };
    const isMissing = values.kind !== 'string' && isBlank(values, one);
    const read: CoercedValue = isMissing
      ? { problem: phrase('A value is required.') }
      : kindOf(values).read(values, one);
    if ('problem' in read) return { problem: phrase('{0}: {1}', visible(name, 60), read.problem) };
    record.set(name, read.value);
  }
  return { value: Object.fromEntries(record) };
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

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function coerceNumber(field: NumberField, text: string): CoercedValue {
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

function coerceString(field: StringField, text: string): CoercedValue {
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
  const { name = format, example, accepts } = formatOf(format) ?? {};
  if (name !== undefined && accepts && !accepts(text))
    return {
      problem: example ? phrase('Enter a valid {0}, such as {1}.', name, example) : phrase('Enter a valid {0}.', name),
    };
  if (pattern === undefined || matches(pattern, text)) return { value: text };
  // The pickers write the zone of the person, which some patterns do not take.
  const other = utcTexts(format, text).find(one => matches(pattern, one));
  if (other !== undefined) return { value: other };
  return {
    problem:
      'description' in field
        ? phrase('This does not have the described format (pattern {0}).', pattern)
        : phrase('Must match the pattern {0}', pattern),
  };
}

/** Commas or lines part the values; quotes hold a comma in; `[…]` is the list as JSON. */
function coerceList(field: ListField, text: string): CoercedValue {
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

function bounds({ exclusiveMinimum, exclusiveMaximum, multipleOf, ...field }: NumberField): Phrase[] {
  // What can't be sent exactly is refused anyway. zod writes these bounds for each whole number.
  const minimum = field.minimum === Number.MIN_SAFE_INTEGER ? undefined : field.minimum;
  const maximum = field.maximum === Number.MAX_SAFE_INTEGER ? undefined : field.maximum;
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

/** @param isStep with a control of its own, no item of a list. @param isDescribed its description has the pattern. */
function textLimits(
  { format, minLength, maxLength, pattern }: StringField,
  isStep: boolean,
  isDescribed: boolean,
): (Phrase | string)[] {
  const known = formatOf(format);
  return [
    ...(format === undefined ? [] : isStep && isPicker(format) ? zoneOf(format) : formatHint(format, pattern)),
    ...(minLength === 1 ? [phrase('at least 1 character')] : []),
    ...(minLength && minLength > 1 ? [phrase('at least {0} characters', minLength)] : []),
    ...(maxLength === undefined ? [] : [phrase('at most {0} characters', maxLength)]),
    ...(pattern === undefined || isDescribed || known ? [] : [patternHint(pattern)]),
  ];
}

function formatHint(format: string, pattern: string | undefined): (Phrase | string)[] {
  const { name = format, example } = formatOf(format) ?? {};
  if (example !== undefined) return [phrase('{0}, such as {1}', name, example)];
  return pattern !== undefined && PATTERN_FORMATS.has(format) ? [] : [name];
}

/** What zod calls a check that its pattern says better. */
const PATTERN_FORMATS: ReadonlySet<string> = new Set(['starts_with', 'ends_with', 'includes', 'regex']);

/** Characters of a pattern that are shown below its field. A longer one is in the tooltip, and in the error for a value that does not match. */
const MAX_PATTERN = 40;

const patternHint = (pattern: string): Phrase =>
  pattern.length <= MAX_PATTERN ? phrase('matching {0}', pattern) : phrase('in a fixed format');

/** A picker says what it takes, but not in which zone. */
const zoneOf = (picker: Picker) => (picker === 'date' ? [] : [phrase('in your time zone')]);

function count({ minItems, maxItems }: Pick<ListField, 'minItems' | 'maxItems'>): Phrase[] {
  return [
    ...(minItems ? [phrase('at least {0}', minItems)] : []),
    ...(maxItems === undefined ? [] : [phrase('at most {0}', maxItems)]),
  ];
}

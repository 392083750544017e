import { type Phrase, phrase } from '../../../base/phrase';
import { isPicker, type Picker } from './localTime';
import { matches } from './pattern';
import type { FormStep, ListField, NumberField, ScalarField, StringField } from './schemaForm';

/** The value that a text stands for, undefined where it is left out, or what is wrong with the text. */
type Coerced = { readonly value: unknown } | { readonly problem: Phrase };

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads what was entered for a step. Nothing entered leaves an optional value out; `""` is a text without characters. */
export function coerce(step: FormStep, text: string): Coerced {
  if (step.kind === 'json') return parseJson(text);
  if (text.trim() === '' && !(step.kind === 'string' && text !== '')) {
    return step.required ? { problem: required(step) } : { value: undefined };
  }
  return step.kind === 'list' ? coerceList(step, text) : coerceScalar(step, text);
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

/** What a field accepts, for the line below it: nothing that its control or its description says already. */
export function expectations(field: FormStep | ScalarField): (Phrase | string)[] {
  switch (field.kind) {
    case 'number':
      return [field.integer ? phrase('whole number') : phrase('number'), ...bounds(field)];
    case 'string':
      return textLimits(field, 'path' in field, 'description' in field);
    case 'boolean':
    case 'choice':
      return [];
    case 'list':
      if (field.items.kind === 'choice') return count(field);
      return [phrase('separated by commas'), ...expectations(field.items), ...count(field)];
    case 'json':
      return [phrase('JSON')];
  }
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

/** Choices are no texts: they are chosen. */
function coerceScalar(field: ScalarField, text: string): Coerced {
  if (field.kind === 'number') return coerceNumber(field, text.trim());
  return field.kind === 'string' ? coerceString(field, text === '""' ? '' : text) : { value: undefined };
}

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
  if (format === undefined || !Object.hasOwn(FORMATS, format) || FORMATS[format]!(text)) return { value: text };
  const example = EXAMPLES[format];
  return {
    problem: example ? phrase('Enter a {0}: {1}', format, example) : phrase('Enter a valid {0}.', formatName(format)),
  };
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': text => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  time: text => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d|:60)?/.test(text),
  email: text => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: text => URL.canParse(text),
  url: text => URL.canParse(text),
  uuid: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

/** A day that there is: `Date.parse` takes the 30th of February. */
function isDate(text: string): boolean {
  const time = Date.parse(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  'date-time': 'YYYY-MM-DDThh:mm:ssZ',
  time: 'hh:mm:ssZ',
};

/** What people call it. Others are the server's own. */
function formatName(format: string): Phrase | string {
  if (format === 'email') return phrase('email address');
  return ['uri', 'url', 'uuid'].includes(format) ? format.toUpperCase() : format;
}

/** Commas or lines part the values; quotes hold a comma in; `[…]` is the list as JSON. */
function coerceList(field: ListField, text: string): Coerced {
  const parts = text.trim().startsWith('[') ? fromJson(text) : split(text);
  if (!parts) return { problem: phrase('That list is not valid JSON.') };
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const item = coerceScalar(field.items, part);
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
    ...(format === undefined ? [] : !isStep || !isPicker(format) ? [formatName(format)] : zoneOf(format)),
    ...(minLength === 1 ? [phrase('at least 1 character')] : []),
    ...(minLength && minLength > 1 ? [phrase('at least {0} characters', minLength)] : []),
    ...(maxLength === undefined ? [] : [phrase('at most {0} characters', maxLength)]),
    ...(pattern === undefined || isDescribed ? [] : [phrase('matching {0}', pattern)]),
  ];
}

/** A picker says what it takes, but not in which zone. */
const zoneOf = (picker: Picker) => (picker === 'date' ? [] : [phrase('in your time zone')]);

function count({ minItems, maxItems }: ListField): Phrase[] {
  return [
    ...(minItems ? [phrase('at least {0}', minItems)] : []),
    ...(maxItems === undefined ? [] : [phrase('at most {0}', maxItems)]),
  ];
}

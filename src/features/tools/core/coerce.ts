import { matches } from './pattern';
import type { FormStep, ListField, NumberField, ScalarField, StringField } from './schemaForm';

/** The value that a text stands for, undefined where it is left out, or what is wrong with the text. */
export type Coerced = { readonly value: unknown } | { readonly problem: string };

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

/** What a step takes, in words, for the line below the input. */
export function expectation(field: FormStep | ScalarField): string {
  switch (field.kind) {
    case 'number':
      return [field.integer ? 'whole number' : 'number', ...bounds(field)].join(', ');
    case 'string':
      return ['text', ...textLimits(field)].join(', ');
    case 'boolean':
      return 'true or false';
    case 'choice':
      return 'one of the choices';
    case 'list':
      return ['list, separated by commas', `each ${expectation(field.items)}`, ...count(field)].join(', ');
    case 'json':
      return 'JSON';
  }
}

export function countProblem({ minItems, maxItems }: ListField, length: number): string | undefined {
  if (minItems !== undefined && length < minItems) return `At least ${minItems} values are needed.`;
  if (maxItems !== undefined && length > maxItems) return `At most ${maxItems} values are possible.`;
  return undefined;
}

function required({ kind }: FormStep): string {
  return kind === 'string' ? 'A value is required. Enter "" for an empty text.' : 'A value is required.';
}

function parseJson(text: string): Coerced {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `That is not JSON: ${(error as Error).message}` };
  }
}

function coerceScalar(field: ScalarField, text: string): Coerced {
  switch (field.kind) {
    case 'number':
      return coerceNumber(field, text.trim());
    case 'boolean': {
      const value = { true: true, yes: true, false: false, no: false }[text.trim().toLowerCase()];
      return value === undefined ? { problem: 'Enter true or false.' } : { value };
    }
    case 'choice': {
      const { options } = field;
      const option = options.find(({ label }) => label === text) ?? options.find(({ value }) => String(value) === text);
      return option ? { value: option.value } : { problem: `Choose one of: ${options.map(o => o.label).join(', ')}.` };
    }
    case 'string':
      return coerceString(field, text === '""' ? '' : text);
  }
}

function coerceNumber(field: NumberField, text: string): Coerced {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { problem: 'Enter a number.' };
  if (field.integer && !Number.isInteger(value)) return { problem: 'Enter a whole number.' };
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { problem: 'That number is too large to be sent exactly.' };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (minimum !== undefined && value < minimum) return { problem: `At least ${minimum}.` };
  if (maximum !== undefined && value > maximum) return { problem: `At most ${maximum}.` };
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return { problem: `More than ${exclusiveMinimum}.` };
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return { problem: `Less than ${exclusiveMaximum}.` };
  if (multipleOf !== undefined && multipleOf > 0) {
    const times = value / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
      return { problem: `A multiple of ${multipleOf}.` };
    }
  }
  return { value: Object.is(value, -0) ? 0 : value };
}

function coerceString({ format, minLength, maxLength, pattern }: StringField, text: string): Coerced {
  // JSON schema counts characters, not UTF-16 units.
  const length = [...text].length;
  if (minLength !== undefined && length < minLength) return { problem: `At least ${minLength} characters.` };
  if (maxLength !== undefined && length > maxLength)
    return { problem: `At most ${maxLength} characters; these are ${length}.` };
  if (pattern !== undefined && !matches(pattern, text)) return { problem: `Must match ${pattern}` };
  const check = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (check && !check(text)) return { problem: `Must be a valid ${format}${EXAMPLES[format!] ?? ''}.` };
  return { value: text };
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
  date: ', as 2026-01-31',
  'date-time': ', as 2026-01-31T08:00:00Z',
  time: ', as 08:00:00Z',
};

/** Commas or lines part the values; quotes hold a comma in; `[…]` is the list as JSON. */
function coerceList(field: ListField, text: string): Coerced {
  const parts = text.trim().startsWith('[') ? fromJson(text) : split(text);
  if (!parts) return { problem: 'That list is not valid JSON.' };
  const values: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    const item = coerceScalar(field.items, part);
    if ('problem' in item) return { problem: `Value ${index + 1}: ${item.problem}` };
    values.push(item.value);
  }
  const problem = countProblem(field, values.length);
  if (problem) return { problem };
  if (field.unique && new Set(values).size < values.length) return { problem: 'No value may be there twice.' };
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

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: NumberField): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`, ...multiple(multipleOf)];
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...multiple(multipleOf),
  ];
}

const multiple = (of: number | undefined) => (of === undefined ? [] : [`a multiple of ${of}`]);

function textLimits({ format, minLength, maxLength, pattern }: StringField): string[] {
  return [
    ...(format === undefined ? [] : [format]),
    ...(minLength ? [`at least ${minLength} characters`] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`matching ${pattern}`]),
  ];
}

function count({ minItems, maxItems }: ListField): string[] {
  return [...(minItems ? [`at least ${minItems}`] : []), ...(maxItems === undefined ? [] : [`at most ${maxItems}`])];
}

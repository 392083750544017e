import { type Phrase, phrase } from '../../../base/phrase';

/** A format of JSON schema that forms know. Any other is for the server to judge. */
interface Format {
  accepts(text: string): boolean;
  /** As people call it; undefined: as the schema does. */
  readonly name?: Phrase | string;
  /** A value that everybody understands. Without it, the name says enough. */
  readonly example?: string;
  /** The browser's picker of it. Its values have no zone: the person means their own. */
  readonly picker?: {
    readonly input: 'date' | 'datetime-local' | 'time';
    /** The texts of RFC 3339 that it can show. */
    readonly shows: RegExp;
  };
}

const FORMATS = {
  date: {
    accepts: isDate,
    name: phrase('date'),
    example: '2026-01-31',
    picker: { input: 'date', shows: /^\d{4}-\d\d-\d\d$/ },
  },
  'date-time': {
    accepts: text => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
    name: phrase('date with time'),
    example: '2026-01-31T08:30:00Z',
    picker: {
      input: 'datetime-local',
      shows: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i,
    },
  },
  time: {
    accepts: text => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d|:60)?/.test(text),
    name: phrase('time'),
    example: '08:30:00Z',
    picker: { input: 'time', shows: /^\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i },
  },
  'local-date-time': {
    accepts: text => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text),
    name: phrase('date with time'),
    example: '2026-01-31T08:30',
  },
  'local-time': { accepts: text => /^\d\d:\d\d/.test(text), name: phrase('time'), example: '08:30' },
  duration: { accepts: text => /^[+-]?P./i.test(text), name: phrase('duration'), example: 'PT1H30M' },
  email: {
    accepts: text => /^[^\s@]+@[^\s@]+$/.test(text),
    name: phrase('email address'),
    example: 'name@example.com',
  },
  uri: { accepts: text => URL.canParse(text), name: 'URI', example: 'https://example.com' },
  url: { accepts: text => URL.canParse(text), name: 'URL', example: 'https://example.com' },
  uuid: {
    accepts: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    name: 'UUID',
    example: '9b2f8f5e-3c1d-4a6b-8e7f-0a1b2c3d4e5f',
  },
  ipv4: { accepts: text => /^\d+(\.\d+){3}$/.test(text), name: phrase('IPv4 address'), example: '192.0.2.1' },
  ipv6: {
    accepts: text => /^(?=[^:]*:)[\da-f:.]*$/i.test(text),
    name: phrase('IPv6 address'),
    example: '2001:db8::1',
  },
  cidrv4: { accepts: text => text.includes('/'), name: phrase('IPv4 network'), example: '192.0.2.0/24' },
  cidrv6: { accepts: text => text.includes('/'), name: phrase('IPv6 network'), example: '2001:db8::/32' },
  hostname: { accepts: text => !/[\s/]/.test(text), name: phrase('host name'), example: 'example.com' },
  e164: { accepts: text => text.startsWith('+'), name: phrase('phone number'), example: '+441632960000' },
  decimal: { accepts: text => /^[+-]?[\d.]+$/.test(text), name: phrase('number'), example: '12.50' },
  month: { accepts: text => /^\d{4}-\d\d$/.test(text), name: phrase('month'), example: '2026-01' },
} as const satisfies Readonly<Record<string, Format>>;

type Formats = typeof FORMATS;
export type Picker = {
  [F in keyof Formats]: Formats[F] extends { readonly picker: object } ? F : never;
}[keyof Formats];

/** Undefined: forms do not know it. */
export const formatOf = (format: string | undefined): Format | undefined =>
  format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format as keyof Formats] : undefined;

/** The beginnings of patterns that libraries and authors write for formats, and what they mean. */
const PATTERNS: readonly (readonly [beginning: string, format: keyof Formats])[] = [
  // zod. A moment begins with its day.
  ['^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|', 'date'],
  ['^((\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|', 'date'],
  ['^\\d{4}-\\d{2}-\\d{2}$', 'date'],
  ['^\\d{4}-\\d\\d-\\d\\d$', 'date'],
  ['^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'date'],
  ['^\\d{4}-\\d{2}$', 'month'],
  ['^(?:[01]\\d|2[0-3]):[0-5]\\d', 'local-time'],
  ['^([01]\\d|2[0-3]):[0-5]\\d', 'local-time'],
  // pydantic's Decimal.
  ['^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$', 'decimal'],
];

/** The format that a pattern stands for, if it is one that many write. */
export function formatOfPattern(pattern: string): string | undefined {
  const [, format] = PATTERNS.find(([beginning]) => pattern.startsWith(beginning)) ?? [];
  return format === 'date' && pattern.includes('T(?:') ? 'local-date-time' : format;
}

/** The moment of a `date-time` or `time` in UTC, or without a zone, for patterns that take no offset. */
export function utcTexts(format: string | undefined, text: string): string[] {
  if (format === 'time') return [text.replace(/(Z|[+-]\d\d:\d\d)$/i, '')];
  const moment = format === 'date-time' ? new Date(text) : undefined;
  if (!moment || Number.isNaN(moment.getTime())) return [];
  const utc = moment.toISOString();
  return [utc.replace(/\.000Z$/, 'Z'), utc, utc.replace(/(:00)?\.\d{3}Z$/, 'Z')];
}

export const isPicker = (format: string | undefined): format is Picker => formatOf(format)?.picker !== undefined;

export const browserInput = (picker: Picker) => FORMATS[picker].picker.input;

/** A day that there is: `Date.parse` takes the 30th of February. */
function isDate(text: string): boolean {
  const time = Date.parse(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * The value of the picker, in its shortest form, that stands for a text of RFC 3339.
 * @param now a time without a day is one of today. @returns undefined for what a picker can't show, such as a time without a zone.
 */
export function pickerValue(picker: Picker, text: string, now = new Date()): string | undefined {
  if (picker === 'date' || text === '') return text === '' || FORMATS.date.picker.shows.test(text) ? text : undefined;
  if (!FORMATS[picker].picker.shows.test(text)) return undefined;
  const moment = new Date((picker === 'time' ? `${localDay(now)}T${text}` : text.replace(' ', 'T')).toUpperCase());
  if (Number.isNaN(moment.getTime())) return undefined;
  const local = localText(moment).replace(/(:00)?\.000$/, '');
  return picker === 'time' ? local.slice(11) : local;
}

/** The text of RFC 3339 for what was picked, with the offset that the person's zone has at that moment. */
export function pickedText(picker: Picker, value: string, now = new Date()): string {
  if (picker === 'date' || value === '') return value;
  const moment = new Date(picker === 'time' ? `${localDay(now)}T${value}` : value);
  const offset = -moment.getTimezoneOffset();
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  return `${value}${/\d\d:\d\d:/.test(value) ? '' : ':00'}${zone}`;
}

const localText = (moment: Date) =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
const localDay = (moment: Date) => localText(moment).slice(0, 10);

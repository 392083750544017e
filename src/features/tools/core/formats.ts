import { type Phrase, phrase } from '../../../base/phrase';

/** A format of JSON schema that forms know. Any other is for the server to judge. */
interface Format {
  accepts(text: string): boolean;
  /** As people call it; undefined: as the schema does. */
  readonly name?: Phrase | string;
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
    example: 'YYYY-MM-DD',
    picker: { input: 'date', shows: /^\d{4}-\d\d-\d\d$/ },
  },
  'date-time': {
    accepts: text => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
    example: 'YYYY-MM-DDThh:mm:ssZ',
    picker: {
      input: 'datetime-local',
      shows: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i,
    },
  },
  time: {
    accepts: text => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d|:60)?/.test(text),
    example: 'hh:mm:ssZ',
    picker: { input: 'time', shows: /^\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i },
  },
  email: { accepts: text => /^[^\s@]+@[^\s@]+$/.test(text), name: phrase('email address') },
  uri: { accepts: text => URL.canParse(text), name: 'URI' },
  url: { accepts: text => URL.canParse(text), name: 'URL' },
  uuid: { accepts: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), name: 'UUID' },
} as const satisfies Readonly<Record<string, Format>>;

type Formats = typeof FORMATS;
export type Picker = {
  [F in keyof Formats]: Formats[F] extends { readonly picker: object } ? F : never;
}[keyof Formats];

/** Undefined: forms do not know it. */
export const formatOf = (format: string | undefined): Format | undefined =>
  format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format as keyof Formats] : undefined;

export const isPicker = (format: string | undefined): format is Picker => formatOf(format)?.picker !== undefined;

export const inputOf = (picker: Picker) => FORMATS[picker].picker.input;

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

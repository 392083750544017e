/** Formats of JSON schema for which the browser has a picker. Its values have no zone: the person means their own. */
const PICKERS = ['date', 'date-time', 'time'] as const;
export type Picker = (typeof PICKERS)[number];

export const isPicker = (format: string | undefined): format is Picker =>
  (PICKERS as readonly (string | undefined)[]).includes(format);

const ZONED: Readonly<Record<Picker, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i,
  time: /^\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i,
};

/**
 * The value of the picker, in its shortest form, that stands for a text of RFC 3339.
 * @param now a time without a day is one of today. @returns undefined for what a picker can't show, such as a time without a zone.
 */
export function pickerValue(picker: Picker, text: string, now = new Date()): string | undefined {
  if (picker === 'date' || text === '') return text === '' || ZONED.date.test(text) ? text : undefined;
  if (!ZONED[picker].test(text)) return undefined;
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

let language = 'en-US';
const formats = new Map<number | undefined, Intl.NumberFormat>();

/** Sets the language of `numberText`, where a window or a page begins. Programs without a person to read them keep English. */
export function writeNumbersIn(tag: string): void {
  language = tag;
  formats.clear();
}

/**
 * A number as a person writes it: `1,234.5` in English, `1.234,5` in German. Not for logs, files and models, which get
 * `String(value)` or `toFixed`.
 * @param digits after the decimal sign; without it, as many as the number has, and at most three.
 */
export function numberText(value: number, digits?: number): string {
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(value);
}

type Numbers = readonly number[];

/** All versions from the first number on, up to the second, which is excluded. */
interface Span {
  readonly from: Numbers;
  readonly to: Numbers;
}

const END: Numbers = [Number.POSITIVE_INFINITY];
const COMPARATOR = /^(===?|=|~=|~>?|\^|>=?|<=?)?\s*v?(\d+(?:\.\d+)*)(\.[x*])?([a-z.+_-].*)?$/i;

/** Whether two versions, ranges or tags may be the same version. Tags may be any; only numbers are compared. */
export function mayBeSame(one: string, other: string): boolean {
  const [first, second] = [spanOf(one), spanOf(other)];
  return !first || !second || (isBefore(first.from, second.to) && isBefore(second.from, first.to));
}

function spanOf(text: string): Span | undefined {
  const parts = text
    .trim()
    .replace(/([<>=~^])\s+/g, '$1')
    .split(/[\s,]+/)
    .map(part => partOf(part));
  if (parts.includes(undefined)) return undefined;
  return (parts as Span[]).reduce((all, { from, to }) => ({
    from: isBefore(all.from, from) ? from : all.from,
    to: isBefore(to, all.to) ? to : all.to,
  }));
}

function partOf(text: string): Span | undefined {
  const [, operator = '', numbers] = COMPARATOR.exec(text) ?? [];
  if (numbers === undefined) return undefined;
  const version = numbers.split('.').map(Number);
  switch (operator) {
    case '>=':
      return { from: version, to: END };
    case '>':
      return { from: after(version), to: END };
    case '<':
      return { from: [0], to: version };
    case '<=':
      return { from: [0], to: after(version) };
    case '^': {
      const first = version.findIndex(number => number > 0);
      return { from: version, to: after(first < 0 ? version : version.slice(0, first + 1)) };
    }
    case '~':
    case '~>':
      return { from: version, to: after(version.slice(0, 2)) };
    case '~=':
      return { from: version, to: after(version.slice(0, Math.max(1, version.length - 1))) };
    default:
      return { from: version, to: after(version) };
  }
}

/** The first version that does not begin with these numbers. */
const after = (version: Numbers): Numbers => [...version.slice(0, -1), version.at(-1)! + 1];

function isBefore(one: Numbers, other: Numbers): boolean {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

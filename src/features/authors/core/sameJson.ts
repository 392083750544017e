import { canonicalJson } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';

/** More lines than this are not compared one by one. */
const MAX_DIFF_LINES = 400;

/** Whether two JSON values are equal, whatever the order of members. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch {
    return false; // too deep, or nothing that JSON has
  }
}

/**
 * Whether a value has everything that is expected: of an object these members, of a list these items in this order, with others
 * between them; anything else has to be equal.
 */
export function has(actual: unknown, expected: unknown): boolean {
  if (isObject(expected)) {
    if (!isObject(actual)) return false;
    return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && has(actual[key], value));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return false;
    let from = 0;
    return expected.every(value => {
      const found = actual.findIndex((item, index) => index >= from && has(item, value));
      from = found + 1;
      return found >= 0;
    });
  }
  return isEqual(actual, expected);
}

/** The lines of two texts: `-` only in the expected one, `+` only in the actual one. */
export function lineDiff(expected: string, actual: string): string[] {
  const [old, now] = [expected.split('\n'), actual.split('\n')];
  if (old.length > MAX_DIFF_LINES || now.length > MAX_DIFF_LINES)
    return [
      ...old.slice(0, MAX_DIFF_LINES).map(line => `- ${line}`),
      ...now.slice(0, MAX_DIFF_LINES).map(line => `+ ${line}`),
    ];
  // The length of the longest common part of what follows each pair of lines.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i++]}`);
      j++;
    } else if (j === now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`- ${old[i++]}`);
    } else {
      lines.push(`+ ${now[j++]}`);
    }
  }
  return lines;
}

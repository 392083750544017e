// Which test files run together in one process. A process for each file would load the same packages 170 times.

/** How long a process should be at work at least, by what is known. */
const shortestMs = 5_000;

export interface PortionOptions {
  /** That many portions of about as many files, for runs that need little of each file. */
  count?: number;
  /** How long a process should be at work at least. */
  portionMs?: number;
  /**
   * So many processes share what is left, several times each: long portions while there is much, in which what a process has read
   * and started serves more files, and short ones for the end.
   */
  most?: number;
}

/** Splits files into portions, each for one process, the longest first, so that no long one is left for the end. */
export function portions(
  files: readonly string[],
  msOf: (file: string) => number,
  { count, portionMs = shortestMs, most }: PortionOptions = {},
): string[][] {
  const sorted = files.toSorted((a, b) => msOf(b) - msOf(a));
  if (count) {
    const dealt = Array.from({ length: count }, (_, i) => sorted.filter((_, index) => index % count === i));
    return dealt.filter(({ length }) => length > 0);
  }
  const result: string[][] = [];
  let left = sorted.reduce((ms, file) => ms + msOf(file), 0);
  let room = 0;
  for (const file of sorted) {
    if (room <= 0) {
      result.push([]);
      room = most ? Math.max(portionMs, left / (3 * most)) : portionMs;
    }
    result.at(-1)!.push(file);
    room -= msOf(file);
    left -= msOf(file);
  }
  return result;
}

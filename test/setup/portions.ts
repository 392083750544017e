// Which test files run together in one process. A process for each file would load the same packages 280 times.

/** How long a process should be at work at least, by what is known: it takes a third of a second of a processor to load. */
const shortestMs = 10_000;

/**
 * Splits files into portions, each for one process, the longest first, so that no long one is left for the end.
 * @param count that many portions of about as many files, for runs that need little of each file.
 */
export function portions(files: readonly string[], msOf: (file: string) => number, count?: number): string[][] {
  const sorted = files.toSorted((a, b) => msOf(b) - msOf(a));
  if (count) {
    const dealt = Array.from({ length: count }, (_, i) => sorted.filter((_, index) => index % count === i));
    return dealt.filter(({ length }) => length > 0);
  }
  const result: string[][] = [];
  let room = 0;
  for (const file of sorted) {
    if (room <= 0) {
      result.push([]);
      room = shortestMs;
    }
    result.at(-1)!.push(file);
    room -= msOf(file);
  }
  return result;
}

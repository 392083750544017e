import { createContext, runInContext } from 'node:vm';

/** For patterns that take for ever on some texts: the pattern comes from a server. */
const PATTERN_LIMIT_MS = 50;
/** The longest pattern: to read one takes time, too, which no limit ends. */
const MAX_LENGTH = 5_000;
/** How long all tests of one pattern may take together, in microseconds. Tests shorter than `NOTICED` do not count. */
const MAX_TOGETHER = 1_000_000;
const NOTICED = 2_000;
/** Patterns whose tests took long. */
const MAX_KNOWN = 1_000;

/** How long the tests of a pattern have taken: a list can have thousands of texts that take too long. */
const taken = new Map<string, number>();

/** One for all: to make it takes longer than most tests. Texts come into it, and no code. */
const context = createContext({ pattern: '', text: '', flags: '' });

/** A pattern that is invalid, too long, or has taken too long rejects nothing: the server decides. */
export function matches(pattern: string, text: string): boolean {
  if (pattern.length > MAX_LENGTH || (taken.get(pattern) ?? 0) >= MAX_TOGETHER) return true;
  return test(pattern, text, 'u') ?? test(pattern, text, '') ?? true;
}

/** @returns undefined if the pattern is invalid with these flags; true if it takes too long. */
function test(pattern: string, text: string, flags: string): boolean | undefined {
  const before = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  Object.assign(context, { pattern, text, flags });
  for (;;) {
    try {
      const isMatch: boolean = runInContext('new RegExp(pattern, flags).test(text)', context, {
        timeout: PATTERN_LIMIT_MS,
      });
      if (used() > NOTICED) took(pattern, used());
      return isMatch;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    }
    // The limit counts time in which a busy machine ran something else; that says nothing about the pattern.
    if (used() <= (PATTERN_LIMIT_MS * 1_000) / 2) continue;
    took(pattern, MAX_TOGETHER);
    return true;
  }
}

function took(pattern: string, microseconds: number): void {
  if (taken.has(pattern) || taken.size < MAX_KNOWN) taken.set(pattern, (taken.get(pattern) ?? 0) + microseconds);
}

/**
 * Tells whether a tool is one of those that patterns name: `server/tool`, or `server` for all of its tools. `*` stands for
 * any characters. Nothing else is special.
 */
export function toolMatcher(patterns: readonly unknown[]): (server: string, tool: string) => boolean {
  const wanted = patterns.filter(pattern => typeof pattern === 'string' && pattern !== '') as readonly string[];
  return (server, tool) =>
    wanted.some(pattern => matches(pattern, pattern.includes('/') ? `${server}/${tool}` : server));
}

/** In time linear in both for each `*`: no pattern is compiled. */
export function matches(pattern: string, text: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let from = 0;
  while (place < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      from = place;
    } else if (pattern[at] === text[place]) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++from;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

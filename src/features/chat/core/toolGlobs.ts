import { matches } from '../../../base/text';

/**
 * Tells whether a tool is one of those that patterns name: `server/tool`, or `server` for all of its tools. `*` stands for
 * any characters. Nothing else is special.
 */
export function toolMatcher(patterns: readonly unknown[]): (server: string, tool: string) => boolean {
  const wanted = patterns.filter(pattern => typeof pattern === 'string' && pattern !== '') as readonly string[];
  return (server, tool) =>
    wanted.some(pattern => matches(pattern, pattern.includes('/') ? `${server}/${tool}` : server));
}

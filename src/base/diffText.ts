import { visible, visibleLines } from './text';

const MAX_COLUMNS = 90;

/** Wrapped to fit next to the chat, so that what a server adds at the end of a long line is not out of sight. */
function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAX_COLUMNS) {
    const space = rest.lastIndexOf(' ', MAX_COLUMNS);
    const end = space > 0 ? space + 1 : MAX_COLUMNS;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...lines, rest];
}

/** A JSON value as text for a diff by line, with hidden characters visible. It looks like YAML, for people only. */
export function diffText(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    const lines = visibleLines(value, 100_000).split('\n').flatMap(wrapped);
    return lines.length === 1 ? lines[0]! : `|\n${lines.map(line => `${indent}${line}`).join('\n')}`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const entries: [string, unknown][] = Array.isArray(value) ? value.map(item => ['-', item]) : Object.entries(value);
  const shown = entries.filter(([, item]) => item !== undefined);
  if (shown.length === 0) return Array.isArray(value) ? '[]' : '{}';
  return shown
    .map(([key, item]) => {
      const label = key === '-' && Array.isArray(value) ? '-' : `${visible(key, 300)}:`;
      const text = diffText(item, `${indent}  `);
      const isNested = typeof item === 'object' && item !== null && /[^[\]{}]/.test(text);
      return isNested ? `${indent}${label}\n${text}` : `${indent}${label} ${text}`;
    })
    .join('\n');
}

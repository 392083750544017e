import type * as z from 'zod';
import { visible } from '../../base/text';

/** For each field: what it must be, and an example of it. */
const FIELDS = new Map<string, readonly [expected: string, example: string]>([
  ['type', ['"stdio", "http" or "sse"', '"http"']],
  ['command', ['a string', '"npx"']],
  ['args', ['a list of strings', '["-y", "package"]']],
  ['env', ['an object of strings', '{ "NAME": "value" }']],
  ['envFile', ['a path in quotes', '"${workspaceFolder}/.env"']],
  ['cwd', ['a path in quotes', '"${workspaceFolder}"']],
  ['url', ['an address in quotes', '"https://example.com/mcp"']],
  ['headers', ['an object of strings', '{ "X-Name": "value" }']],
  ['enabled', ['true or false', 'false']],
  ['timeouts', ['an object of milliseconds', '{ "startMs": 60000 }']],
  ['logLevel', ['a level from "debug" to "emergency"', '"info"']],
  ['roots', ['"workspace", "none" or a list of paths', '["${workspaceFolder}/src"]']],
]);
const MILLISECONDS = ['a whole number of milliseconds from 1 to 2147483647', '60000'] as const;
const SERVER = ['an object with a "command" or a "url"', '{ "command": "npx", "args": ["-y", "package"] }'] as const;

/** What to do, by what zod expected and what it found. Anything else gets the example of its field. */
const REMEDIES = new Map([
  ['string number', 'Put it in quotes.'],
  ['string boolean', 'Put it in quotes.'],
  ['boolean string', 'Remove the quotes.'],
  ['int string', 'Remove the quotes.'],
  ['number string', 'Remove the quotes.'],
  ['array string', 'Put it in square brackets, each argument in its own quotes.'],
]);

const KINDS: Record<string, string> = {
  undefined: 'missing',
  null: 'null',
  array: 'a list',
  object: 'an object',
  string: 'a string',
  number: 'a number',
};

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** `value` as a person is told what it is: "a list", "a number", "true". Never its text, which may be a secret. */
export const describeKind = (value: unknown): string => KINDS[kindOf(value)] ?? String(value);

/** `text` in quotes, in one bounded line, with whatever is invisible in it escaped. */
export const quote = (text: string): string => `"${visible(text, 60)}"`;

/** The one zod error map of the settings: says what is wrong with a field of a server, and the remedy. */
export function explain(issue: z.core.$ZodRawIssue): string {
  const [field, item] = issue.path ?? [];
  const nested = field === 'timeouts' && item !== undefined;
  const name = field === undefined ? 'A server' : nested ? `"timeouts.${String(item)}"` : `"${String(field)}"`;
  const part = item === undefined || nested ? '' : typeof item === 'number' ? `item ${item + 1}` : quote(String(item));
  if (issue.code === 'invalid_key') return `${name} has an entry ${part}. ${issue.issues[0]?.message} Rename it.`;
  if (issue.code === 'custom') return `${part ? `${part} of ${name}` : name} ${issue.params?.reason}`;

  const [expected, example] = nested ? MILLISECONDS : (FIELDS.get(String(field)) ?? SERVER);
  const key = field === undefined ? '' : `"${String(nested ? item : field)}": `;
  const sample = `For example: ${key}${example}.`;
  if (issue.input === undefined) return `${name} is missing. ${sample}`;
  return `${name} must be ${expected}, but ${part || 'it'} is ${found(issue)}. ${remedy(issue) ?? sample}`;
}

/** What stands there instead. Only words of a fixed list and times are shown: other values may be secrets. */
function found({ code, input, path }: z.core.$ZodRawIssue): string {
  if (code === 'invalid_value' && typeof input === 'string') return quote(input);
  if (typeof input === 'number' && path?.[0] === 'timeouts') return String(input);
  return code === 'too_small' ? 'empty' : describeKind(input);
}

function remedy(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_type' ? REMEDIES.get(`${issue.expected} ${kindOf(issue.input)}`) : undefined;
}

/** The candidate that `word` most likely stands for, if any comes near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 30) return undefined;
  const limit = word.length < 5 ? 1 : 2;
  return candidates.find(candidate => editDistance(word.toLowerCase(), candidate.toLowerCase()) <= limit);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

import { type ParseError, parse as parseJson, printParseErrorCode } from 'jsonc-parser';
import { parseDocument } from 'yaml';
import { jsonError } from '../../../base/jsonErrors';
import { PhraseError, phrase } from '../../../base/phrase';
import { readServers } from './hostDialects';
import type { Dialect } from './hostVariables';
import type { ServerDraft } from './serverDraft';

/**
 * The value of a file of another host: JSON with comments and trailing commas, or YAML by its name.
 *
 * @throws PhraseError that says the line when it is neither. Never with text of the file, which may hold secrets.
 */
export function readContent(text: string, path = ''): unknown {
  if (/\.ya?ml$/i.test(path)) {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error)
      throw new PhraseError(phrase('{0} in line {1}', phrase('this is not YAML'), error.linePos?.[0].line ?? 1));
    return document.toJS();
  }
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new PhraseError(phrase('{0} in line {1}', jsonError(printParseErrorCode(first.error)), line));
  }
  return value;
}

/** Longer texts are not read; the clipboard may contain anything. */
const MAX_PASTED = 1024 * 1024;
/** The most fences read in a README, which has one for each host. */
const MAX_FENCES = 50;

/**
 * The servers in a text that a person pasted, in whichever dialect: a whole file, a part of one without its braces, in a
 * fence of markdown or not. Empty when there are none.
 */
export function readPasted(text: string): ServerDraft[] {
  if (text.length > MAX_PASTED) return [];
  // Each fence is begun at one place only: where several fit, a text without an end is searched once for each.
  const fenced = [...text.matchAll(/```[a-z]*[^\S\n]*\n([\s\S]*?)```/gi)].slice(0, MAX_FENCES);
  for (const part of [...fenced.map(([, inner = '']) => inner), text]) {
    const json = part.trim().replace(/^,|,$/g, '');
    for (const candidate of [json, `{${json}}`]) {
      const servers = attempt(() => readServers(readContent(candidate), dialectOf(candidate)));
      if (servers.length > 0) return servers;
    }
    const servers = attempt(() => readServers(readContent(part, '.yaml'), 'continue'));
    if (servers.length > 0) return servers;
  }
  return [];
}

const dialectOf = (text: string): Dialect => (/\$\{input:/.test(text) ? 'vscode' : 'unknown');

function attempt(read: () => ServerDraft[]): ServerDraft[] {
  try {
    return read();
  } catch {
    return []; // what was pasted may be anything
  }
}

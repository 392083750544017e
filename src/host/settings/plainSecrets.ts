import { quote } from './messages';
import type { ParsedServer, Problem } from './parse';
import { isRandom, isSecretName, KNOWN_TOKEN } from './secretWords';

/** A secret in plain text within a string of a settings file. */
export interface PlainSecret {
  /** Of the string, below the value of `mcpHost.servers`. */
  path: (string | number)[];
  /** What to call it: the variable, header, option or parameter that it is the value of. */
  name: string;
  /** A part of the string, or all of it. */
  value: string;
}

/**
 * What looks like a secret in the values of an entry as it is written, variables unresolved; one for each string. A value
 * that is only variables is fine.
 */
export function findPlainSecrets({ path, entry }: ParsedServer): PlainSecret[] {
  if (!entry) return [];
  const found: PlainSecret[] = [];
  const add = (at: (string | number)[], secret: Found | undefined) => {
    if (secret) found.push({ path: [...path, ...at], ...secret });
  };
  if (entry.type === 'stdio') {
    for (const [key, value] of Object.entries(entry.env)) if (value !== null) add(['env', key], inValue(key, value));
    for (const index of entry.args.keys()) add(['args', index], inArgument(entry.args, index));
  } else {
    for (const [key, value] of Object.entries(entry.headers)) add(['headers', key], inValue(key, value));
    add(['url'], inUrl(entry.url));
    for (const [key, value] of Object.entries(entry.oauth ?? {}))
      if (typeof value === 'string') add(['oauth', key], inValue(key, value));
  }
  return found;
}

/** The same as hints for a person, without the secrets. */
export function plainSecretHints(server: ParsedServer): Problem[] {
  return findPlainSecrets(server).map(({ path, name }) => ({
    severity: 'hint',
    code: 'plainSecret',
    path,
    message: `${quote(name)} of the server ${quote(server.name)} looks like a secret in plain text. Move it to an input: the editor's secret storage keeps it then.`,
  }));
}

type Found = Pick<PlainSecret, 'name' | 'value'>;

function inValue(name: string, text: string): Found | undefined {
  const token = known(name, text);
  if (token || text.includes('${') || !isSecretName(name)) return token;
  // "Bearer x": the word before is no part of the secret.
  const value = text.replace(/^(?:Bearer|Basic|Token|ApiKey)\s+/i, '');
  return isRandom(value) ? { name, value } : undefined;
}

/** `--api-key=x`, or `x` after `--api-key`. */
function inArgument(args: readonly string[], index: number): Found | undefined {
  const arg = args[index]!;
  const [, option, value = ''] = /^-{1,2}([\w.-]+)[=:](.*)$/s.exec(arg) ?? [];
  if (option !== undefined) return inValue(option, value);
  const before = /^-{1,2}([\w.-]+)$/.exec(args[index - 1] ?? '')?.[1];
  return before === undefined ? known(`argument${index + 1}`, arg) : inValue(before, arg);
}

function inUrl(url: string): Found | undefined {
  const parameters = url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g);
  for (const [, name = '', value = ''] of parameters) {
    const found = inValue(name, value);
    if (found) return found;
  }
  return known('url', url);
}

function known(name: string, text: string): Found | undefined {
  const found = KNOWN_TOKEN.exec(text);
  return found ? { name, value: found[0] } : undefined;
}

import { isSecretName } from '../../../base/secretWords';
import { REDACTED, secretsOfEntry } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';
import type { ServerEntry } from '../../../host/settings';

/** A piece of a copied text: literal, or a variable that its user has to set. */
export type Part = { readonly text: string } | { readonly variable: string };

/** How a server is reached, without any of its secrets. */
export interface Reach {
  readonly entry: ServerEntry;
  /** Splits a value of the entry into texts and variables. `name` becomes its variable when it is a secret. */
  parts(value: string, name: string): Part[];
}

/** The form of `${env:…}` and `${input:…}` in a definition under review. */
const REFERENCE = /\0\{(?:env|input):([^{}]*)\}/;

/**
 * How a server is reached: with a variable in the place of every secret, and of each value that settings take from the
 * environment or ask for.
 * @param redact strikes out the secrets that are known.
 */
export function reachOf({ reviewed, secrets }: ServerDefinition, redact: (text: string) => string): Reach | undefined {
  if (!reviewed) return undefined;
  const known = [...secrets, ...secretsOfEntry(reviewed)].filter(secret => secret && !REFERENCE.test(secret));
  return {
    entry: reviewed,
    parts: (value, name) => {
      const variable = variableName(name);
      const own = isSecretName(name) && !REFERENCE.test(value) ? afterScheme(value) : [];
      const pieces = value.split(REFERENCE);
      return pieces.flatMap((piece, index) =>
        index % 2 === 1
          ? [{ variable: variableName(piece) }]
          : literal(redact(without(piece, [...own, ...known])), variable),
      );
    },
  };
}

/** The secret of a header, without the scheme before it. */
function afterScheme(value: string): string[] {
  return [/^\w+\s+(\S.*)$/.exec(value)?.[1] ?? value];
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret ? rest.replaceAll(secret, REDACTED) : rest), text);
}

function literal(text: string, variable: string): Part[] {
  return text
    .split(REDACTED)
    .flatMap((piece, index) => [...(index > 0 ? [{ variable }] : []), ...(piece ? [{ text: piece }] : [])]);
}

/** A name that shells and programs accept. */
function variableName(name: string): string {
  const plain = name.toUpperCase().replace(/\W+/g, '_');
  return /^\d|^$/.test(plain) ? `_${plain}` : plain;
}

import { isObject } from '../../../../base/json';
import { hasKnownToken, isSecretName } from '../../../../base/secretWords';

type Arguments = Record<string, unknown>;

/** In characters of JSON. */
const MAX_LENGTH = 64 * 1024;

/**
 * The arguments that a page keeps over a reload of the window, as JSON: without those that are secrets by their name or value.
 * Undefined if there are too many.
 * @param redact strikes out the secrets of the server.
 */
export function keptArguments(args: Arguments, redact: (text: string) => string): string | undefined {
  const isSecret = (value: unknown) => typeof value === 'string' && (hasKnownToken(value) || redact(value) !== value);
  const text = JSON.stringify(args, (name, value: unknown) =>
    isSecretName(name) || isSecret(value) ? undefined : value,
  );
  return text.length <= MAX_LENGTH ? text : undefined;
}

/** Reads them again. Undefined if there are none. */
export function readKeptArguments(kept: unknown): Arguments | undefined {
  try {
    const args: unknown = JSON.parse(String(kept));
    return isObject(args) ? args : undefined;
  } catch {
    return undefined;
  }
}

import { isObject } from '../../../base/json';
import type { RegistryChoice } from './registryServer';

/** The package or address that a choice or an entry runs, without its version. */
const withoutVersion = (word: string, kind: string): string =>
  kind === 'oci' ? word.replace(/@sha256:.*$|:[^/:]+$/, '') : word.replace(/==.*$|(?<=.)@[^@/]*$/, '');

/**
 * The name under which settings have a server of a registry, in whatever version and with whatever options. A bundle's entry does
 * not say where it came from.
 */
export function installedAs(
  choices: readonly RegistryChoice[],
  servers: Readonly<Record<string, unknown>>,
): string | undefined {
  const entries = Object.entries(servers).filter(([, entry]) => isObject(entry));
  for (const { kind, what, build } of choices) {
    if (!build || what === '') continue;
    const { command, url } = build(new Set()).entry;
    const found = entries.find(([, entry]) => {
      const theirs = entry as Record<string, unknown>;
      if (typeof url === 'string') return theirs.url === url;
      const words = Array.isArray(theirs.args) ? theirs.args : [];
      const wanted = withoutVersion(what, kind);
      const isSame = words.some(word => typeof word === 'string' && withoutVersion(word, kind) === wanted);
      return theirs.command === command && isSame;
    });
    if (found) return found[0];
  }
  return undefined;
}

import { dirname } from 'node:path';
import type { BlockedAttempt, SandboxRules } from '../../../host';

/** Where the server is, as far as its entry names places by it. */
interface EntryPlaces {
  readonly home: string;
  /** As entries write them: what it may change where its entry doesn't say. */
  readonly roots: readonly string[];
}

/**
 * The rules of an entry with just what an attempt needs in addition.
 * @param sandbox as its settings file has it; true where the setting confines it.
 * @param all the folder of a file, with all that is in it.
 */
export function widened(
  sandbox: boolean | SandboxRules | undefined,
  { kind, what }: BlockedAttempt,
  { home, roots }: EntryPlaces,
  all = false,
): SandboxRules {
  const rules = typeof sandbox === 'object' ? sandbox : {};
  if (kind === 'network') return { ...rules, network: withOne(rules.network ?? [], what) };
  const path = all ? dirname(what) : what;
  return { ...rules, write: withOne(rules.write ?? roots, inHome(path, home)) };
}

const inHome = (path: string, home: string) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);

const withOne = (list: readonly string[], one: string) => (list.includes(one) ? list : [...list, one]);

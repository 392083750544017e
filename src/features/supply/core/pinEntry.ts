import { getNodePath, getNodeValue, type Node } from 'jsonc-parser';
import { findEntry, type LocateOptions, setValues } from '../../settings';
import { type PackageReference, packagesOf } from './packageReference';

/** The packages that a written entry fetches without a fixed version. */
export function floatingOf(command: unknown, args: unknown): readonly PackageReference[] {
  if (typeof command !== 'string' || (args !== undefined && !Array.isArray(args))) return [];
  return packagesOf(command, (args ?? []).map(textOf)).filter(({ pin }) => pin === 'floating');
}

/**
 * The text of a settings file in which packages of a server are pinned, where they stand. Undefined when none of them is
 * written there as a word of its own, because a variable stands for it.
 * @param versions by the name of the package.
 */
export function pinEntry(
  text: string,
  name: string,
  versions: ReadonlyMap<string, string>,
  options: LocateOptions,
): string | undefined {
  const entry: Node | undefined = findEntry(text, name, options);
  const { command, args }: { command?: unknown; args?: unknown } = entry ? Object(getNodeValue(entry)) : {};
  const found = floatingOf(command, args).filter(one => versions.has(one.name));
  if (!entry || found.length === 0) return undefined;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(textOf);
  // From the end, so that the places of those before stay.
  for (const { name: wanted, place, pinned } of [...found].reverse()) {
    const word = words[place.argument + 1]!;
    words[place.argument + 1] = word.slice(0, place.start) + pinned(versions.get(wanted)!) + word.slice(place.end);
  }
  const path = getNodePath(entry);
  const places = new Set(found.map(({ place }) => place.argument));
  return setValues(
    text,
    [...places].map(at => [[...path, ...(at < 0 ? ['command'] : ['args', at])], words[at + 1]]),
  );
}

/** Empty for values of another type, which settings report elsewhere. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

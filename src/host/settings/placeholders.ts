import type { Phrase } from '../../base/phrase';
import type { InputDefinition } from './inputs';
import { checkResolved } from './parseServers';
import type { ServerEntry } from './schema';

/** Where `${input:id}` stands in an entry whose other variables are resolved. */
export interface Placeholder {
  readonly id: string;
  readonly path: readonly (string | number)[];
  /**
   * Which of the texts in that string that look like one: the others came with the value of a variable, or are written
   * `$${input:id}`, and stay as they are.
   */
  readonly index: number;
}

/** The inputs that an entry uses. */
export interface UsedInputs {
  readonly definitions: readonly InputDefinition[];
  readonly places: readonly Placeholder[];
}

export const INPUT = /\$\{input:([^{}]*)\}/g;

/**
 * A copy of `entry` with the values of its inputs, once. A problem instead when they make it one that cannot be launched,
 * as a line break in a header: the id of an input that does so and why, without the value.
 *
 * @throws TypeError when `values` lacks one.
 */
export function fillInputs(
  entry: ServerEntry,
  { places }: UsedInputs,
  values: ReadonlyMap<string, string>,
): { entry: ServerEntry } | { problem: { id: string; message: Phrase | string } } {
  const copy = structuredClone(entry);
  const strings = Map.groupBy(places, ({ path }) => JSON.stringify(path));
  for (const [first, ...more] of strings.values()) replaceAt(copy, [first!, ...more], values);
  const { entry: checked, problems } = checkResolved(copy);
  if (checked) return { entry: checked };
  const [problem] = problems;
  const at = places.find(({ path }) => String(path) === String(problem!.path)) ?? places[0]!;
  return { problem: { id: at.id, message: problem!.message } };
}

function replaceAt(entry: ServerEntry, places: readonly Placeholder[], values: ReadonlyMap<string, string>): void {
  const path = [...places[0]!.path];
  const last = path.pop()!;
  const holder = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], entry);
  const parent = holder as Record<string, string>;
  const wanted = new Set(places.map(({ index }) => index));
  let index = 0;
  parent[last] = parent[last]!.replace(INPUT, (text: string, id: string) => {
    if (!wanted.has(index++)) return text;
    const value = values.get(id);
    if (value === undefined) throw new TypeError(`The input "${id}" has no value`);
    return value;
  });
}

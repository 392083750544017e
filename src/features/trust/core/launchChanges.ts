import type { LaunchField } from '../../../host/launch';

/** How one launch differs from another. */
interface LaunchChanges {
  removed: LaunchField[];
  added: LaunchField[];
}

const keyOf = ({ kind, name = '', hash }: LaunchField) => `${kind}\n${name}\n${hash}`;
const textOf = ({ kind, name = '', text }: LaunchField) => `${kind}\n${name}\n${text}`;

/** The fields that only one of the two has. Both lists are empty if only the order differs. */
export function launchChanges(before: readonly LaunchField[], now: readonly LaunchField[]): LaunchChanges {
  return { removed: without(before, now), added: without(now, before) };
}

function without(fields: readonly LaunchField[], others: readonly LaunchField[]): LaunchField[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
  return fields.filter(field => {
    const count = left.get(keyOf(field)) ?? 0;
    left.set(keyOf(field), count - 1);
    return count <= 0;
  });
}

/** The fields of `now` that look the same as before but differ, because they are masked or long. */
export function changedUnseen(before: readonly LaunchField[], now: readonly LaunchField[]): Set<LaunchField> {
  const { removed, added } = launchChanges(before, now);
  const texts = new Set(removed.map(textOf));
  return new Set(added.filter(field => texts.has(textOf(field))));
}

/** The fields of `now` that are unchanged but look different: an earlier version showed less of them. */
export function sameButReadOtherwise(before: readonly LaunchField[], now: readonly LaunchField[]): LaunchField[] {
  const texts = new Map(before.map(field => [keyOf(field), field.text]));
  return now.filter(field => (texts.get(keyOf(field)) ?? field.text) !== field.text);
}

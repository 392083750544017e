import { isObject, ownMember } from '../../base/json';
import { bare, type Note, respelled } from './carried';

/** Makes a value of ours out of whatever a peer sent; undefined if nothing can be made of it. Never throws. */
export type Reader<T = unknown> = (value: unknown, place: string, note: Note) => T | undefined;

type Members = Record<string, unknown>;

/** A text, also alone in a list. */
export const text: Reader<string> = (value, place, note) => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length !== 1 || typeof value[0] !== 'string') return undefined;
  note(place, 'the only item of a list is taken');
  return value[0];
};
export const number: Reader<number> = value => (typeof value === 'number' ? value : undefined);
/** How much something matters. */
export const share: Reader<number> = value =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;
export const anything: Reader = value => value;
export const object: Reader<Members> = value => (isObject(value) ? value : undefined);

/** A boolean, also as text. */
export const flag: Reader<boolean> = (value, place, note) => {
  if (typeof value === 'boolean') return value;
  const said = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (said !== 'true' && said !== 'false') return undefined;
  note(place, 'a text is taken as true or false');
  return said === 'true';
};

export const oneOf =
  (...values: readonly string[]): Reader<string> =>
  value =>
    values.includes(value as string) ? (value as string) : undefined;

/** A moment with its zone. */
export const moment: Reader<string> = value =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
    ? value
    : undefined;

/** A list without the items that nothing can be made of. A single item is a list of one. The same list if all are good. */
export const listOf =
  <T>(item: Reader<T>, max = Number.POSITIVE_INFINITY): Reader<T[]> =>
  (value, place, note) => {
    if (!Array.isArray(value)) {
      const one = item(value, `${place}[]`, note);
      if (one !== undefined) note(place, 'a single value is taken as a list');
      return one === undefined ? undefined : [one];
    }
    let isSame = value.length <= max;
    const items: T[] = [];
    for (const given of value.slice(0, max)) {
      const read = item(given, `${place}[]`, note);
      if (read !== undefined) items.push(read);
      else note(`${place}[]`);
      isSame &&= read === given;
    }
    if (value.length > max) note(place, `only its first ${max} items are taken`);
    return isSame ? value : items;
  };

/** An object whose members are all read in the same way, whatever their names. */
export const recordOf =
  (member: Reader): Reader<Members> =>
  (value, place, note) => {
    if (!isObject(value)) return undefined;
    const read = Object.entries(value).flatMap(([name, given]) => {
      const made = member(given, `${place}.*`, note);
      if (made === undefined) note(`${place}.*`);
      return made === undefined ? [] : [[name, made]];
    });
    return Object.fromEntries(read);
  };

/** A known member of an object. One that is `required` takes the object with it. */
interface Field {
  readonly read: Reader;
  readonly required?: true;
}

export const required = (read: Reader): Field => ({ read, required: true });

/**
 * An object with these members, without those of them that nothing can be made of. Null is what servers write for what is
 * absent. Names in another spelling, such as `mime_type`, are known. The same object if all is good.
 * @param others whether members that are not named stay.
 */
export function shape(
  fields: Readonly<Record<string, Reader | Field>>,
  others: 'stay' | 'go' = 'stay',
): Reader<Members> {
  const known = Object.entries(fields).map(
    ([name, field]) => [name, typeof field === 'function' ? { read: field } : field] as const,
  );
  const spellings = new Map(known.map(([name]) => [bare(name), name]));
  return (given, place, note) => {
    const value = single(given, place, note);
    if (!isObject(value)) return undefined;
    let copy = respelled(value, spellings, place, note);
    const change = (name: string, made: unknown) => {
      if (copy === value) copy = { ...value };
      if (made === undefined) delete copy[name];
      else copy[name] = made;
    };
    if (others === 'go')
      for (const name of Object.keys(copy)) if (!Object.hasOwn(fields, name)) change(name, undefined);
    for (const [name, { read, required }] of known) {
      const member = ownMember(copy, name);
      const at = place === '' ? name : `${place}.${name}`;
      const made = member === undefined || (member === null && read !== anything) ? undefined : read(member, at, note);
      if (made === undefined && required) return undefined;
      if (made === member) continue;
      if (made === undefined && member !== null) note(at);
      change(name, made);
    }
    return copy;
  };
}

export const icons = listOf(
  shape({ src: required(text), mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }),
);

/** The only item of a list, where an object is expected; any other value as it is. */
export function single(value: unknown, place: string, note: Note): unknown {
  if (!Array.isArray(value) || value.length !== 1 || !isObject(value[0])) return value;
  note(place, 'the only item of a list is taken');
  return value[0];
}

import { isObject } from './json';

/** Reads an untrusted value. Undefined: invalid. */
type Read<T> = (value: unknown) => T | undefined;

/** Each type of message, with the readers of its members. */
type Shapes = Readonly<Record<string, Readonly<Record<string, Read<unknown>>>>>;

type Messages<S extends Shapes> = {
  readonly [T in keyof S]: { readonly type: T } & {
    readonly [M in keyof S[T]]: Exclude<ReturnType<S[T][M]>, undefined>;
  };
}[keyof S];

/** The messages that a reader lets through. */
export type MessageOf<R extends Read<unknown>> = Exclude<ReturnType<R>, undefined>;

/** Makes a reader of messages with these shapes. It leaves out other members, and returns undefined for anything else. */
export function messageReader<const S extends Shapes>(shapes: S): Read<Messages<S>> {
  return value => {
    if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(shapes, value.type)) return undefined;
    const message: Record<string, unknown> = { type: value.type };
    for (const [name, read] of Object.entries(shapes[value.type]!)) {
      const member = read(value[name]);
      if (member === undefined) return undefined;
      message[name] = member;
    }
    return message as Messages<S>;
  };
}

export const text: Read<string> = value => (typeof value === 'string' ? value : undefined);

/** Only `true` is true. No value is refused. */
export const flag = (value: unknown): boolean => value === true;

/** A whole number that is not negative. */
export const count: Read<number> = value =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;

export const counts: Read<readonly number[]> = value =>
  Array.isArray(value) && value.every(one => count(one) !== undefined) ? value : undefined;

export const oneOf =
  <T extends string>(...names: readonly T[]): Read<T> =>
  value =>
    names.find(name => name === value);

import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';

type Members = Record<string, unknown>;

/**
 * Called with the place of a part that is not as the specification says: "content[].annotations.lastModified".
 * @param how what is made of it, as a clause: "it is taken as text". Absent: it was left out.
 */
export type Note = (place: string, how?: string) => void;

/** A name without what spellings differ in: `mimeType` and `mime_type` are the same. */
export const bare = (name: string) => name.replace(/(?!^)[_-]/g, '').toLowerCase();

/** An object with known names in the spelling of the specification. The same object if they are. */
export function respelled(value: Members, spellings: ReadonlyMap<string, string>, place: string, note: Note): Members {
  let copy = value;
  for (const name in value) {
    const right = spellings.get(name) === name ? name : spellings.get(bare(name));
    if (right === undefined || right === name || Object.hasOwn(value, right)) continue;
    if (copy === value) copy = { ...value };
    delete copy[name];
    copy[right] = value[name];
    note(place === '' ? name : `${place}.${name}`, `it is taken as "${right}"`);
  }
  return copy;
}

/** The names of members by their bare spelling, for `respelled`. */
export const spellingsOf = (...names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map(name => [bare(name), name]));

const TYPES: Readonly<Record<string, Phrase>> = {
  undefined: phrase('missing'),
  string: phrase('a string'),
  number: phrase('a number'),
  boolean: phrase('a boolean'),
};

/** The name of a JSON value's type: "null", "a string", "an array". */
export function typeName(value: unknown): Phrase {
  if (value === null) return phrase('null');
  if (Array.isArray(value)) return phrase('an array');
  return TYPES[typeof value] ?? phrase('an object');
}

export const VENDOR = 'mcp-host';

/** A schema in the form that the SDK takes. */
export function schemaOf<T>(validate: (value: unknown) => StandardSchemaV1.Result<T>): StandardSchemaV1<unknown, T> {
  return { '~standard': { version: 1, vendor: VENDOR, validate } };
}

/** Accepts any result: the caller checks what it uses. */
export const anyResult = schemaOf<unknown>(value => ({ value: carriedIn(value) }));

/** Accepts any object. Its members are checked one by one, because a bad one must not take the others down. */
export const anyObject = schemaOf<Record<string, unknown>>(value =>
  isObject(carriedIn(value))
    ? { value: carriedIn(value) as Record<string, unknown> }
    : { issues: [{ message: 'it is not an object' }] },
);

/** The member in which a stand-in that passes the SDK's checks carries what the peer really sent. */
export const original = Symbol('original');

/** What a stand-in carries; any other value as it is. */
export function carriedIn(value: unknown): unknown {
  for (let at = value; ; at = (at as { [original]: unknown })[original])
    if (typeof at !== 'object' || at === null || !(original in at)) return at;
}

/** The roles in a prompt that the specification does not know. A symbol, so that it goes no further with the prompt. */
export const unknownRoles = Symbol('unknownRoles');

const MAX_ROLES = 10;

/** What is to be said of a prompt with messages in roles that the specification does not know. Undefined: there are none. */
export function roleNote(prompt: object): Phrase | undefined {
  const roles = (prompt as { [unknownRoles]?: readonly string[] })[unknownRoles];
  const named = roles?.slice(0, MAX_ROLES).map(role => `"${visible(role, 30)}"`);
  return named && phrase('Messages with the role {0} count as messages of the user.', named.join(', '));
}

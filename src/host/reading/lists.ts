import type { Prompt, Resource, ResourceTemplateType, StandardSchemaV1, Tool } from '@modelcontextprotocol/client';
import { isObject, ownMember } from '../../base/json';
import { english } from '../../base/phrase';
import { carriedIn, respelled, schemaOf, spellingsOf, typeName } from './carried';
import { single } from './shapes';

/** The most that all pages of a list have together, in characters (`lengthOf`). */
export const MAX_LIST_LENGTH = 32 * 1024 * 1024;

/** In characters. Some servers keep all that they need for the next page in it. */
const MAX_CURSOR = 100_000;

/** The items that a server can offer, by kind. */
export interface CatalogItems {
  tools: Tool;
  prompts: Prompt;
  resources: Resource;
  resourceTemplates: ResourceTemplateType;
}

export type CatalogKind = keyof CatalogItems;

export const CATALOG_KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** The capability that a list belongs to. */
export const capabilityOf = (kind: CatalogKind) => (kind === 'resourceTemplates' ? 'resources' : kind);

/** One page of a list as the server sent it, with unchecked items. */
interface ListPage {
  readonly items: readonly unknown[];
  /** Any value. From a good server it is a string, or absent at the end. */
  readonly nextCursor: unknown;
  /** Any value. In the modern era it should be a number. */
  readonly ttlMs: unknown;
  /** Any value. In the modern era it should be `public` or `private`. */
  readonly cacheScope: unknown;
}

/** A schema for one page of a list that refuses no item. */
interface ListResultSchema extends StandardSchemaV1<unknown, ListPage> {
  /** Where the items are. */
  readonly key: CatalogKind;
}

/** How a page of a list is read: that there is a list. Its items are read one by one with `readItem`. */
export function listResult(key: CatalogKind): ListResultSchema {
  const schema = schemaOf<ListPage>(value => {
    const result = resultIn(carriedIn(value), key);
    const sent = ownMember(result, key);
    const items = itemsIn(sent);
    if (!items) return { issues: [{ message: `"${key}" is ${english(typeName(sent))} and not an array` }] };
    const { nextCursor } = result;
    if (typeof nextCursor === 'string' && nextCursor.length > MAX_CURSOR)
      return { issues: [{ message: `"nextCursor" has more than ${MAX_CURSOR} characters` }] };
    return { value: { items, nextCursor, ttlMs: result.ttlMs, cacheScope: result.cacheScope } };
  });
  return { ...schema, key };
}

/** The result, also out of a list of one and with its list in another spelling. A bare list is that of the items. */
function resultIn(given: unknown, key: CatalogKind): Record<string, unknown> {
  const whole = single(given, 'result', () => {});
  if (!isObject(whole)) return { [key]: given };
  const named = respelled(whole, spellingsOf(key, 'nextCursor'), '', () => {});
  return Array.isArray(given) && !Object.hasOwn(named, key) ? { [key]: given } : named;
}

/** The items of a list, or of an object: that may be one, or have them by their names. */
function itemsIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value.some(Array.isArray) ? value.flat(2) : value;
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  if (typeof value.name === 'string' || typeof value.uri === 'string') return [value];
  return Object.entries(value).map(([name, item]) => (isObject(item) ? { name, ...item } : item));
}
